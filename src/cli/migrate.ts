import { countPending, type MigrationState } from "../../db/migration.ts";
import type { Storage } from "../../db/storage.ts";
import { readConnections, readDatabase } from "../config.ts";
import { fold, foldAddress } from "../core/folding.ts";
import { formatTimestamp } from "../core/timestamps.ts";
import { storageOf } from "../server/storage.ts";
import type { Command } from "./command.ts";
import { databaseOption } from "./options.ts";
import { print, printList } from "./output.ts";

export const migrateCommand: Command = {
  name: "migrate",
  summary: "Create or upgrade the database. serve does so, too.",
  usage: "[--status] [--database FILE]",
  options: {
    status: { type: "boolean", description: "list the migrations and change nothing" },
    ...databaseOption,
  },
  async run({ flags }) {
    const storage = await storageOf(readDatabase(flags), readConnections(flags));
    const { name } = storage;
    const isJson = flags.json === true;
    const states = await storage.migrationStates({ canBeAbsent: !flags.status });
    if (flags.status) return printList(flags, present(states), ["id", "name", "appliedAt"]);
    const pending = countPending(states);
    // Without pending migrations no lock is needed, so that this works next to a running server.
    const copy = pending > 0 ? await migrateDatabase(storage) : undefined;
    if (isJson) return print(JSON.stringify({ database: name, migrated: pending, copy }));
    print(`${name} is up to date: ${pending} of ${states.length} migrations were applied now.`);
    if (copy !== undefined) print(`A copy of the database before the upgrade: ${copy}`);
  },
};

/** Runs the pending migrations; returns the path of the copy that was made of a file with data. */
async function migrateDatabase(storage: Storage): Promise<string | undefined> {
  let copy: string | undefined;
  const engine = await storage.open({
    clock: Date.now,
    canCreate: true,
    isExclusive: true,
    fold,
    foldAddress,
    upgraded: (_, path) => {
      copy = path;
    },
  });
  await engine.close();
  return copy;
}

function present(states: MigrationState[]) {
  return states.map(({ name, appliedAt }, i) => ({
    id: i + 1,
    name,
    appliedAt: appliedAt === null ? null : formatTimestamp(appliedAt),
  }));
}
