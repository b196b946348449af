import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { $ } from "bun";
import { folder } from "./binary.ts";
import { buildPackage } from "./debian-package.ts";

setDefaultTimeout(120_000);

/** `$1` is an empty folder, `$2` and `$3` are packages. All changes are in an overlay, which ends with the script. */
const installation = `
set -e
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount -t proc proc "$1/root/proc"
mount --bind /dev "$1/root/dev"
cp "$2" "$1/root/old.deb"
cp "$3" "$1/root/new.deb"
chroot "$1/root" sh -e <<'END'
as_user() {
  setpriv --reuid accountd --regid accountd --clear-groups env $(grep -v '^#' /etc/default/accountd) accountd "$@"
}
dpkg -i /old.deb >&2
stat -c '%U:%G %a' /var/lib/accountd
as_user organizations create acme
as_user keys create --organization acme >/dev/null
sed -i s/PORT=3000/PORT=4000/ /etc/default/accountd
dpkg -i /new.deb >&2
dpkg-query -W -f '\${Version}\n' accountd
grep PORT /etc/default/accountd
as_user organizations list | sed -n "s/ *2.*Z */ /p"
as_user check
dpkg -r accountd >&2
ls /usr/bin/accountd /etc/default/accountd 2>/dev/null || true
dpkg -P accountd >&2
ls /usr/bin/accountd /etc/default/accountd /var/lib/accountd/accountd.db 2>/dev/null || true
END
`;

test.skipIf(process.getuid?.() !== 0)(
  "dpkg installs the package, and upgrades and purges it without losing the database",
  async () => {
    const work = folder();
    const first = await buildPackage("1.2.3", join(work, "first.deb"));
    const second = await buildPackage("1.2.4", join(work, "second.deb"));
    const result = await $`unshare --mount bash -c ${installation} bash ${folder()} ${first} ${second}`
      .quiet()
      .nothrow();
    expect(result.stdout.toString().split("\n")).toEqual([
      "accountd:accountd 700",
      "Organization 1 is acme.",
      "1.2.4",
      "PORT=4000",
      "1   acme off",
      "/var/lib/accountd/accountd.db is sound.",
      "/etc/default/accountd",
      "/var/lib/accountd/accountd.db",
      "",
    ]);
  },
);

test("the Debian package has the binary, the unit, the manual page, completions and a conffile", async () => {
  const work = folder();
  const first = await buildPackage("1.2.3-dev", join(work, "first.deb"));
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
  const second = await buildPackage("1.2.3-dev", join(work, "second.deb"));
  await $`cmp ${first} ${second}`;
});
