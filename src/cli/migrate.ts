import { existsSync } from "node:fs";
import type { MigrationState } from "../../db/migration.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { databaseStatus } from "../../db/sqlite/file.ts";
import { migrations } from "../../db/sqlite/migrations/list.ts";
import { readDatabase } from "../config.ts";
import { fold } from "../core/folding.ts";
import { formatTimestamp } from "../core/timestamps.ts";
import { type Command, databaseOption, expectArguments } from "./command.ts";
import { print, printList } from "./output.ts";

export const migrateCommand: Command = {
  name: "migrate",
  summary: "Create or upgrade the database. serve does so, too.",
  usage: "[--status] [--database FILE]",
  options: {
    status: { type: "boolean", description: "list the migrations and change nothing" },
    ...databaseOption,
  },
  async run({ positionals, flags }) {
    expectArguments(positionals, 0);
    const database = readDatabase(flags);
    const isJson = flags.json === true;
    if (flags.status)
      return printList(present(databaseStatus(database)), ["id", "name", "appliedAt"], isJson);
    const pending = existsSync(database) ? countPending(databaseStatus(database)) : migrations.length;
    // Without pending migrations no lock is needed, so that this works next to a running server.
    const copy = pending > 0 ? await migrateDatabase(database) : undefined;
    if (isJson) return print(JSON.stringify({ database, migrated: pending, copy }));
    print(`${database} is up to date: ${pending} of ${migrations.length} migrations were applied now.`);
    if (copy !== undefined) print(`A copy of the database before the upgrade: ${copy}`);
  },
};

/** Runs the pending migrations; returns the path of the copy that was made of a database with data. */
async function migrateDatabase(database: string): Promise<string | undefined> {
  let copy: string | undefined;
  const engine = openDatabase(database, {
    clock: Date.now,
    canCreate: true,
    isExclusive: true,
    fold,
    upgraded: (_, path) => {
      copy = path;
    },
  });
  await engine.close();
  return copy;
}

function countPending(states: MigrationState[]): number {
  return states.filter(({ appliedAt }) => appliedAt === null).length;
}

function present(states: MigrationState[]) {
  return states.map(({ name, appliedAt }, i) => ({
    id: i + 1,
    name,
    appliedAt: appliedAt === null ? null : formatTimestamp(appliedAt),
  }));
}
