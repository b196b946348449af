import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { $ } from "bun";
import { buildDebianPackage } from "../../deploy/release/debian.ts";
import { folder } from "./binary.ts";
import { binary } from "./build.ts";

setDefaultTimeout(120_000);

const root = join(import.meta.dir, "../..");

test("the Debian package has the binary, the unit, the manual page, completions and a conffile", async () => {
  const program = await binary();
  const work = folder();
  const build = async (name: string) => {
    const output = join(work, name);
    const input = { root, binary: program, tool: program, licenses: "MIT\n", architecture: "amd64" };
    await buildDebianPackage({ ...input, version: "1.2.3-dev", output, epoch: 1_700_000_000 });
    return output;
  };
  const first = await build("first.deb");
  const list = await $`dpkg-deb -c ${first} | awk '$1 !~ /^d/ { print $1, $2, $6 }'`.text();
  expect(list.trim().split("\n").sort()).toEqual([
    "-rw-r--r-- root/root ./etc/default/accountd",
    "-rw-r--r-- root/root ./usr/lib/systemd/system/accountd.service",
    "-rw-r--r-- root/root ./usr/share/bash-completion/completions/accountd",
    "-rw-r--r-- root/root ./usr/share/doc/accountd/copyright",
    "-rw-r--r-- root/root ./usr/share/fish/vendor_completions.d/accountd.fish",
    "-rw-r--r-- root/root ./usr/share/man/man1/accountd.1.gz",
    "-rw-r--r-- root/root ./usr/share/zsh/vendor-completions/_accountd",
    "-rwxr-xr-x root/root ./usr/bin/accountd",
  ]);
  expect(await $`dpkg-deb -f ${first} Version Architecture`.text()).toBe(
    "Version: 1.2.3~dev\nArchitecture: amd64\n",
  );
  expect(await $`dpkg-deb -I ${first} conffiles`.text()).toBe("/etc/default/accountd\n");
  const unit =
    await $`dpkg-deb --fsys-tarfile ${first} | tar -xO ./usr/lib/systemd/system/accountd.service`.text();
  expect(unit.match(/^(ExecStart|Environment).*$/gm)).toEqual([
    "ExecStart=/usr/bin/accountd serve",
    "EnvironmentFile=/etc/default/accountd",
  ]);
  const second = await build("second.deb");
  await $`cmp ${first} ${second}`;
});
