import { accessSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type BackupFile, listBackups, listFaultyBackups } from "../../server/backups.ts";
import { type Finding, finding, formatDuration } from "./finding.ts";

type BackupSettings = { backupFolder: string; backupMilliseconds: number };

/** The backups in the folder of the settings; undefined if it cannot be read. */
export function readBackups(
  { backupFolder }: BackupSettings,
  now: number,
): readonly BackupFile[] | undefined {
  if (backupFolder === "") return [];
  try {
    // `listBackups` returns an empty list for a missing folder.
    accessSync(backupFolder, constants.R_OK);
    return listBackups(resolve(backupFolder), now);
  } catch {
    return undefined;
  }
}

/** The age of the newest backup of the server of a file. */
export function examineBackups(
  file: string,
  backups: readonly BackupFile[] | undefined,
  { backupFolder, backupMilliseconds, now }: BackupSettings & { now: number },
): Finding {
  const check = "backups";
  const folder = resolve(backupFolder);
  if (backupFolder === "")
    return finding(check, "The server makes no backups.", {
      warning:
        "Set --backup-dir to a folder on another disk, unless Litestream or a job of yours makes them.",
    });
  if (!backups)
    return finding(check, `${folder} cannot be read.`, {
      error: "Create it, or change its owner: the server writes its backups there.",
    });
  const [faulty] = listFaultyBackups(folder);
  if (faulty)
    return finding(check, `${faulty} has faults.`, { error: "Run accountd check, and repair the database." });
  const newest = backups.at(-1);
  const see = "Read backup_failed in the log of the server, or run accountd backup to see the cause.";
  if (!newest) return finding(check, `${folder} has no backup.`, { error: see });
  const age = now - newest.madeAt;
  const found = `${folder} has ${backups.length}. The newest is ${formatDuration(age)} old; the server makes one every ${formatDuration(backupMilliseconds)}.`;
  const isOnSameDisk = statSync(dirname(file), { throwIfNoEntry: false })?.dev === statSync(folder).dev;
  return finding(check, found, {
    error: age > 2 * backupMilliseconds && see,
    warning: isOnSameDisk && "They are on the disk of the database: use another one, or set --backup-to.",
  });
}
