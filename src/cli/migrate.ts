import { existsSync } from "node:fs";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { databaseStatus } from "../../db/sqlite/file.ts";
import type { MigrationState } from "../../db/sqlite/migrate.ts";
import { migrations } from "../../db/sqlite/migrations/list.ts";
import { readConfig } from "../config.ts";
import { fold } from "../core/folding.ts";
import { formatTimestamp } from "../core/timestamps.ts";
import { type Command, expectArguments, print, printList } from "./command.ts";

export const migrateCommand: Command = {
  name: "migrate",
  summary: "Brings the database to this version; serve does so too.",
  usage: ["migrate [--status]"],
  options: {
    status: { type: "boolean", about: "show which migrations there are, and change nothing" },
  },
  async run({ words, flags }) {
    expectArguments(words, 0);
    const { database } = readConfig(flags);
    if (flags.status === true)
      return printList(shown(databaseStatus(database)), ["id", "name", "appliedAt"], flags.json === true);
    const pending = existsSync(database) ? pendingOf(databaseStatus(database)) : migrations.length;
    // The lock is asked for only when there is something to do, so that this works beside a running server.
    let copy: string | undefined;
    const upgraded = (_: string[], made: string) => {
      copy = made;
    };
    if (pending > 0)
      await openDatabase(database, {
        now: Date.now(),
        create: true,
        exclusive: true,
        fold,
        upgraded,
      }).close();
    if (flags.json) return print(JSON.stringify({ database, migrated: pending, copy }));
    print(`${database} is of this version; ${pending} of ${migrations.length} migrations ran now.`);
    if (copy !== undefined) print(`As it was before: ${copy}`);
  },
};

function pendingOf(states: MigrationState[]): number {
  return states.filter(({ appliedAt }) => appliedAt === null).length;
}

function shown(states: MigrationState[]) {
  return states.map(({ name, appliedAt }, i) => ({
    id: i + 1,
    name,
    appliedAt: appliedAt === null ? null : formatTimestamp(appliedAt),
  }));
}
