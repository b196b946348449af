import { existsSync, readFileSync } from "node:fs";
import { $ } from "bun";
import { closeAfterTest } from "../support/cleanup.ts";

const systemd = "/lib/systemd/systemd";

/** Whether this machine can boot systemd in namespaces. */
export const canBoot = process.getuid?.() === 0 && existsSync(systemd);

/** Boots systemd over a copy of the root of this machine, which is removed with the mount namespace. `$1` is an empty folder. */
const boot = `
set -e
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
cd "$1/root"
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
mount -t tmpfs tmpfs dev
mkdir dev/shm dev/pts
for device in null zero full random urandom tty; do
  touch "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
mount -t devpts devpts dev/pts -o newinstance,ptmxmode=0666
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ip link set lo up
mkdir old
pivot_root . old
umount -l /old
exec env -i container=lxc PATH=/usr/sbin:/usr/bin:/sbin:/bin ${systemd} --unit=basic.target --log-target=null
`;

/**
 * Boots systemd, with a network and processes of its own. It ends after the test. `run` runs a shell script in it, and
 * resolves with what it prints; `copy` copies a file into a folder of it.
 */
export async function bootSystemd(folder: string) {
  const namespaces = ["--mount", "--uts", "--ipc", "--net", "--cgroup", "--pid", "--fork", "--kill-child"];
  const child = Bun.spawn(["unshare", ...namespaces, "bash", "-c", boot, "bash", folder], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  closeAfterTest(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  const firstProcess = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim();
  const isBooted = () =>
    firstProcess() !== "" && existsSync(`/proc/${firstProcess()}/root/run/systemd/private`);
  while (!isBooted()) await Bun.sleep(50);
  const pid = firstProcess();
  const run = (script: string) =>
    $`nsenter --target ${pid} --mount --uts --ipc --net --cgroup --pid env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -c ${script}`
      .nothrow()
      .quiet()
      .then(({ stdout }) => stdout.toString().trimEnd().split("\n"));
  await run("systemctl is-system-running --wait");
  return { run, copy: (file: string, path: string) => $`cp ${file} /proc/${pid}/root/${path}` };
}
