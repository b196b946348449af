import { accessSync, constants, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isSameDatabase } from "../../db/sqlite/backup/contents.ts";
import { childEnvironment, ownProgram } from "../../db/sqlite/readers/reader-process.ts";
import { inheritedEnvironment, type ServerConfig } from "../config.ts";
import { UsageError } from "../core/settings/operator-error.ts";
import { millisecondsOfMinute } from "../core/timestamps.ts";
import type { Log } from "../log.ts";
import { backupName, backupsAmong, nameOfBackup, surplusBackups } from "./backup-names.ts";

/** After a failure, unless the time between two backups is shorter. */
const retryMilliseconds = 600_000;
/** What an interrupted backup leaves. */
const unfinishedName = /^accountd-.*\.unfinished/;

/** A copy in which `accountd check` finds faults. */
const faultyName = /^accountd-.*\.faulty$/;

type BackupOptions = Pick<
  ServerConfig,
  "backupFolder" | "backupMilliseconds" | "backupKeepCount" | "backupUrl"
> & {
  /** The database. */
  file: string;
  log: Log;
  clock: () => number;
};

/** Times are milliseconds since 1970 UTC. */
export type RunningBackups = ReturnType<typeof startBackups>;

/**
 * Makes backups of the database in processes of their own, the first one when the newest in the folder is older than the time
 * between two. Throws UsageError for a folder that cannot be used.
 */
export function startBackups(options: BackupOptions) {
  const { file, backupMilliseconds, backupKeepCount, backupUrl, log, clock } = options;
  const folder = openFolder(options.backupFolder, file, clock());
  const stopped = new AbortController();
  let dueAt = newestTime(folder, clock()) + backupMilliseconds;
  let notUploaded: string | undefined;
  let failedAt: number | undefined;
  let failedCount = 0;
  const running = run();
  return {
    /** When the last backup failed; undefined when it succeeded, or none was made since the start. */
    failedAt: () => failedAt,
    failedCount: () => failedCount,
    /** The time of the newest backup in the folder; 0 without one. */
    newestAt: () => newestTime(folder, clock()),
    /** Stops a running backup and resolves when it has ended. */
    stop: () => {
      stopped.abort();
      return running;
    },
  };

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      // After a clock that was ahead was set back.
      dueAt = Math.min(dueAt, clock() + backupMilliseconds);
      // A timer cannot be longer than 24.8 days, and a suspended machine stops it.
      const pause = Math.min(dueAt - clock(), millisecondsOfMinute);
      if (pause > 0) await sleep(pause, stopped.signal);
      else
        dueAt =
          clock() +
          ((await tryBackup()) ? backupMilliseconds : Math.min(backupMilliseconds, retryMilliseconds));
    }
  }

  async function tryBackup(): Promise<boolean> {
    const name = nameOfBackup(clock());
    try {
      // A failed backup is tried again and again: only its last copy is kept.
      removeFiles(folder, namesIn(folder, faultyName));
      assertSameDatabase(folder, file, clock());
      const start = performance.now();
      const { backup, bytes } = await runBackup(commandFor(name), stopped.signal).finally(() =>
        removeOld(name),
      );
      notUploaded = undefined;
      failedAt = undefined;
      log.info("backup_made", { backup, bytes, seconds: Math.round((performance.now() - start) / 1000) });
      return true;
    } catch (error) {
      if (stopped.signal.aborted) return false;
      failedAt = clock();
      failedCount += 1;
      log.error("backup_failed", {
        folder,
        cause: error instanceof Error ? error.message : String(error),
        detail: "The server tries again. Run accountd backup to see the cause.",
      });
      return false;
    }
  }

  /** Also after an upload that failed. */
  function removeOld(made: string): void {
    removeFiles(folder, namesIn(folder, unfinishedName));
    // Otherwise frequent attempts to upload would replace the backups of the last days.
    if (existsSync(join(folder, made))) {
      if (notUploaded !== undefined) removeBackups([notUploaded]);
      notUploaded = made;
    }
    removeBackups(surplusBackups(namesIn(folder, backupName), backupKeepCount, clock()));
  }

  function removeBackups(names: readonly string[]): void {
    removeFiles(folder, [...names, ...names.map((name) => `${name}.sha256`)]);
  }

  function commandFor(name: string): string[] {
    const upload = ["--backup-to", backupUrl, "--backup-keep", String(backupKeepCount)];
    const target = ["backup", join(folder, name), "--json", "--database", file];
    return backupUrl === "" ? target : [...target, ...upload];
  }
}

/** Removes what an interrupted backup left. Throws UsageError. */
function openFolder(path: string, file: string, now: number): string {
  const folder = resolve(path);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
  } catch {
    throw new UsageError(
      `${folder} cannot be written. Check the permissions of the folder.`,
      "unwritable_file",
    );
  }
  assertSameDatabase(folder, file, now);
  removeFiles(folder, namesIn(folder, unfinishedName));
  return folder;
}

/** Two databases in one folder would delete each other's backups. Throws UsageError. */
function assertSameDatabase(folder: string, file: string, now: number): void {
  const newest = backupsAmong(namesIn(folder, backupName), now).past.at(-1);
  if (newest === undefined || isSameDatabase(join(folder, newest), file)) return;
  throw new UsageError(
    `${folder} has backups of another database, such as ${newest}. Name another folder with --backup-dir.`,
    "invalid_setting",
  );
}

/** Throws an error whose message is the output of the failed command. */
async function runBackup(
  command: readonly string[],
  signal: AbortSignal,
): Promise<{ backup: string; bytes: number }> {
  const child = Bun.spawn([...ownProgram(new URL("../main.ts", import.meta.url)), ...command], {
    argv0: process.execPath,
    env: { ...inheritedEnvironment(), ...childEnvironment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    signal,
    killSignal: "SIGKILL",
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) === 0) return JSON.parse(output);
  throw new Error(messageOf(errors) ?? `the process ended: ${child.signalCode ?? child.exitCode}`);
}

function messageOf(errors: string): string | undefined {
  const line = errors.trim().split("\n").at(-1) ?? "";
  return line.startsWith("{") ? JSON.parse(line).error.message : line || undefined;
}

/** Empty for a folder that was removed: the backup fails. */
function namesIn(folder: string, pattern: RegExp): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => pattern.test(name))
    .sort();
}

/** Throws the first error after all files that can be removed are. */
function removeFiles(folder: string, names: readonly string[]): void {
  const errors = names.flatMap((name) => {
    try {
      rmSync(join(folder, name), { force: true });
      return [];
    } catch (error) {
      return [error];
    }
  });
  if (errors.length > 0) throw errors[0];
}

/** Milliseconds since 1970 UTC; 0 without a backup. */
function newestTime(folder: string, now: number): number {
  return listBackups(folder, now).at(-1)?.madeAt ?? 0;
}

/** `madeAt`: milliseconds since 1970 UTC. */
export type BackupFile = { name: string; madeAt: number; bytes: number };

/** The backups in a folder, oldest first, without backups whose time is in the future. */
export function listBackups(folder: string, now: number): BackupFile[] {
  return backupsAmong(namesIn(folder, backupName), now).past.map((name) => {
    const { mtimeMs, size } = statSync(join(folder, name));
    return { name, madeAt: mtimeMs, bytes: size };
  });
}

/** Copies with faults, as `accountd backup` names them. */
export function listFaultyBackups(folder: string): string[] {
  return namesIn(folder, faultyName);
}

/** Resolves after the time, or when the signal is aborted. */
const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  setTimeout(milliseconds, undefined, { signal }).catch(() => {});
