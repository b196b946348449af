import { formatTimestamp } from "../core/timestamps.ts";

/** With the time of the backup: names sort by time. */
export const backupName = /^accountd-\d{8}T\d{6}Z\.db$/;

/** The name of a backup that begins at a time in milliseconds since 1970 UTC. */
export function nameOfBackup(time: number): string {
  return `accountd-${formatTimestamp(time).replaceAll(/[-:]|\.\d+/g, "")}.db`;
}

/** The names of backups among others, in their order. A name of the future is of a clock that was ahead. */
export function backupsAmong(names: readonly string[], now: number): { future: string[]; past: string[] } {
  const backups = names.filter((name) => backupName.test(name)).sort();
  const current = nameOfBackup(now);
  return {
    future: backups.filter((name) => name > current),
    past: backups.filter((name) => name <= current),
  };
}

/** The backups to delete: all but the newest `keepCount`. Backups of the future count as the oldest. */
export function surplusBackups(names: readonly string[], keepCount: number, now: number): string[] {
  const { future, past } = backupsAmong(names, now);
  const all = [...future, ...past];
  return all.slice(0, Math.max(0, all.length - keepCount));
}
