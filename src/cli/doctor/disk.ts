import { accessSync, constants, existsSync, realpathSync, statfsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Inspection } from "../../../db/inspection.ts";
import { millisecondsOfDay } from "../../core/timestamps.ts";
import type { BackupFile } from "../../server/backups.ts";
import { isServerRunning } from "../../server/operator-socket.ts";
import { type Actions, type Finding, finding, formatBytes } from "./finding.ts";

const move = "Move the database to a file system of a local disk, such as ext4, XFS, Btrfs, ZFS or APFS.";
const network = (name: string): Risk => [
  `on a network (${name}): locks and fsync are not reliable.`,
  { error: move },
];
type Risk = readonly [found: string, actions: Actions];
/** File systems on which a database is at risk, by their numbers in statfs(2). */
const risks: Readonly<Record<number, Risk>> = {
  26985: network("NFS"),
  20859: network("SMB"),
  4283649346: network("CIFS"),
  4266872130: network("SMB 2"),
  16914839: network("9P"),
  12805120: network("Ceph"),
  1397113167: network("AFS"),
  2020557398: network("vboxsf"),
  1702057286: ["on FUSE: whether fsync is durable is not known.", { warning: move }],
  16914836: ["in memory (tmpfs): it is lost when the machine stops.", { warning: move }],
  2035054128: [
    "in the layer of a container: it is removed with the container.",
    { warning: "Mount a volume there." },
  ],
};
/** With less free space, the next checkpoint may fail. */
const minFreeBytes = 100 * 1024 ** 2;
const minDaysUntilFull = 30;

type DiskOptions = { now: number; backups: readonly BackupFile[] };

/** The file, its folder, and its disk. Without an inspection, the size of the database is not known. */
export async function examineFile(
  path: string,
  inspection: Inspection | undefined,
  options: DiskOptions,
): Promise<Finding[]> {
  const file = existsSync(path) ? realpathSync(path) : resolve(path);
  const folder = dirname(file);
  if (!existsSync(folder))
    return [
      finding("folder", `There is no folder ${folder}.`, {
        error: "Create it for the user of the server, with mode 700.",
      }),
    ];
  const server = (await isServerRunning(path)) ? "A server" : "No server";
  return [
    finding("server", `${server} has the file open.`),
    examinePermissions(file, folder),
    examineSpace(folder, inspection, options),
    examineFileSystem(folder),
  ];
}

function examinePermissions(file: string, folder: string): Finding {
  const paths = [file, folder].filter(existsSync);
  const closed = paths.find((path) => !canWrite(path));
  if (closed)
    return finding("permissions", `${closed} cannot be written by this user.`, {
      error:
        "Run the command as the user of the server, or change the owner with chown. A read-only medium can only be read.",
    });
  const modeOf = (path: string) => statSync(path).mode & 0o777;
  const open = paths.find((path) => (modeOf(path) & (path === folder ? 0o022 : 0o077)) !== 0);
  const modes = paths.map((path) => `${path} has the mode ${modeOf(path).toString(8)}`);
  const right = open === folder ? "700" : "600";
  return finding("permissions", `${modes.join(", ")}.`, {
    warning: open && `Other users can read or replace the file. Run chmod ${right} ${open}.`,
  });
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function examineSpace(folder: string, inspection: Inspection | undefined, options: DiskOptions): Finding {
  const { bavail, blocks, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const size = inspection?.bytes ?? 0;
  const { dailyBytes, source } = growthOf(inspection, options);
  const days = dailyBytes > 0 ? Math.floor(free / dailyBytes) : Infinity;
  const time = days > 3_650 ? "more than 10 years" : `${days} days`;
  const growth =
    days === Infinity
      ? "No growth is known."
      : `The disk is full in ${time}: the database grows by ${formatBytes(dailyBytes)} a day ${source}.`;
  const found = `${formatBytes(free)} of ${formatBytes(blocks * bsize)} are free; the database has ${formatBytes(size)}. ${growth}`;
  const copies = "Free space: an upgrade, and a backup in this folder, copy the whole file.";
  const plan = "Use a larger disk, or keep events and changes for fewer days.";
  return finding("disk", found, {
    error: free < minFreeBytes && "Free space now: on a full disk, every write fails, and reads go on.",
    warning: (free < size && copies) || (days < minDaysUntilFull && plan),
  });
}

/** From the sizes of the oldest and the newest backup, or else from the age and the size of the database. */
function growthOf(inspection: Inspection | undefined, { now, backups }: DiskOptions) {
  const [oldest, newest] = [backups[0], backups.at(-1)];
  const dailyOf = (bytes: number, milliseconds: number) =>
    milliseconds >= millisecondsOfDay ? (bytes / milliseconds) * millisecondsOfDay : 0;
  if (oldest && newest && newest.madeAt - oldest.madeAt >= millisecondsOfDay)
    return {
      dailyBytes: dailyOf(newest.bytes - oldest.bytes, newest.madeAt - oldest.madeAt),
      source: "between the oldest and the newest backup",
    };
  const { bytes = 0, createdAt } = inspection ?? {};
  return {
    dailyBytes: dailyOf(bytes, now - (createdAt ?? now)),
    source: "on average since its first organization was created",
  };
}

function examineFileSystem(folder: string): Finding {
  const [found, actions] = risks[statfsSync(folder).type >>> 0] ?? ["on a local disk.", {}];
  return finding("file system", `${folder} is ${found}`, actions);
}
