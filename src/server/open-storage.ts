import { existsSync } from "node:fs";
import { UnusableDatabase } from "../../db/errors.ts";
import type { StorageOptions } from "../../db/storage.ts";
import type { ServerConfig } from "../config.ts";
import { fold, foldAddress } from "../core/folding.ts";
import { formatTimestamp } from "../core/timestamps.ts";
import type { Log } from "../log.ts";
import { checkAddress } from "./listen.ts";
import { isServerRunning } from "./operator-socket.ts";
import { storageOf } from "./storage.ts";

type OpenStorageOptions = {
  config: ServerConfig;
  clock: () => number;
  log: Log;
  onCommit: StorageOptions["onCommit"];
  checkOrganizations?: ((foldedNames: string[]) => void) | undefined;
};

/** Opens the database of a server, and logs what the operator has to know about it, also later. */
export async function openStorage({ config, clock, log, onCommit, checkOrganizations }: OpenStorageOptions) {
  const storage = await storageOf(config.database, config.connections);
  const { name: database, file } = storage;
  if (file !== undefined && (await isServerRunning(file)))
    throw new UnusableDatabase(`${database} is in use by another accountd. Stop it first.`);
  // An address that cannot be used must not leave a new database.
  if (file === undefined || !existsSync(file)) await checkAddress(config);
  const engine = await storage.open({
    clock,
    canCreate: true,
    isExclusive: true,
    fold,
    foldAddress,
    readWorkers: config.readWorkers,
    onCommit,
    checkOrganizations,
    created: (name) => log.info("created", file === undefined ? { database, schema: name } : { file: name }),
    upgraded: (migrations, copy) => log.info("migrated", { migrations, copy }),
    onMigrationAwaited: () =>
      log.info("migration_awaited", {
        database,
        detail: "The role may not create or change the tables. Run accountd migrate as a role that may.",
      }),
    onClockJump: (milliseconds) =>
      log.error("clock_jumped", {
        seconds: Math.round(milliseconds / 1000),
        detail:
          milliseconds > 0
            ? "Retention ignores this for 24 hours. If the clock is right, run accountd jobs run --now."
            : "Timestamps and retention follow the clock. All scores are computed again.",
      }),
    onClockAhead: (time, newestTime) =>
      log.error("clock_ahead", {
        clock: formatTimestamp(time),
        newestTime: formatTimestamp(newestTime),
        detail:
          "Nothing was stored for over 30 days, or the clock is wrong. Retention waits for 24 hours. If the clock is right, run accountd jobs run retention.",
      }),
    onClockDiffers: (time, serverTime) =>
      log.error("clock_differs", {
        clock: formatTimestamp(time),
        databaseClock: formatTimestamp(serverTime),
        detail:
          time > serverTime
            ? "Retention follows the clock of the database for 24 hours. Correct the clocks and restart."
            : "Timestamps and retention follow the clock of this machine. Correct the clocks and restart.",
      }),
    onReaderFailed: (error) =>
      log.error("reader_not_started", {
        cause: error instanceof Error ? error.message : String(error),
        detail:
          "Slow reads run in the processes that exist; without one they get 503. Raise TasksMax or MemoryMax.",
      }),
    onDamage: () =>
      log.error("database_damaged", {
        database,
        detail: "Writes are refused until a restart. Stop the server, run accountd check, restore a backup.",
      }),
  });
  return { engine, database, file };
}
