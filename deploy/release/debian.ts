import { join } from "node:path";
import { $ } from "bun";

/** What a Debian package is made of: `binary` is installed, `tool` is the same program for this machine. */
interface DebianInput {
  readonly root: string;
  readonly binary: string;
  readonly tool: string;
  readonly licenses: string;
  readonly architecture: string;
  readonly version: string;
  readonly output: string;
  /** Seconds since 1970: the newest time of a file in the package. */
  readonly epoch: number;
}

/** Writes the Debian package `output`, with the unit, the manual page and the completions. */
export async function buildDebianPackage(input: DebianInput): Promise<void> {
  const { root, tool, output } = input;
  const stage = `${output}.d`;
  const source = join(root, "deploy/debian");
  await $`rm -rf ${stage}`;
  const put = async (path: string, content: string | Blob, mode = "644") => {
    await Bun.write(join(stage, path), content);
    await $`chmod ${mode} ${join(stage, path)}`;
  };
  await put("usr/bin/accountd", Bun.file(input.binary), "755");
  const unit = (await Bun.file(join(root, "deploy/accountd.service")).text())
    .replace("/usr/local/bin/accountd", "/usr/bin/accountd")
    .replace(/^Environment=.*$/m, "EnvironmentFile=/etc/default/accountd");
  await put("usr/lib/systemd/system/accountd.service", unit);
  await put("etc/default/accountd", Bun.file(join(source, "default")));
  await put("usr/share/doc/accountd/copyright", input.licenses);
  const manual = Bun.gzipSync(new TextEncoder().encode(await $`${tool} help --man`.text()));
  await put("usr/share/man/man1/accountd.1.gz", new Blob([manual]));
  const completions = {
    bash: "bash-completion/completions/accountd",
    zsh: "zsh/vendor-completions/_accountd",
    fish: "fish/vendor_completions.d/accountd.fish",
  };
  for (const [shell, path] of Object.entries(completions)) {
    await put(`usr/share/${path}`, await $`${tool} completion ${shell}`.text());
  }
  await put("DEBIAN/conffiles", "/etc/default/accountd\n");
  for (const script of ["postinst", "prerm", "postrm"]) {
    await put(`DEBIAN/${script}`, Bun.file(join(source, script)), "755");
  }
  const control = (await Bun.file(join(source, "control")).text())
    .replace("@VERSION@", input.version.replace("-", "~"))
    .replace("@ARCHITECTURE@", input.architecture);
  await put("DEBIAN/control", control);
  await $`find ${stage} -type d -exec chmod 755 {} +`;
  await $`dpkg-deb --root-owner-group -Zgzip --build ${stage} ${output}`
    .env({ ...Bun.env, SOURCE_DATE_EPOCH: String(input.epoch) })
    .quiet();
  await $`rm -rf ${stage}`;
}
