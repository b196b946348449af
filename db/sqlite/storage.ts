import { existsSync } from "node:fs";
import { statesOf } from "../migration.ts";
import type { Storage } from "../storage.ts";
import { checkDatabase } from "./check.ts";
import { openDatabase, openReader } from "./engine.ts";
import { databaseStatus } from "./file.ts";
import { migrations } from "./migrations/list.ts";

/** The database in a file. */
export function sqliteStorage(file: string): Storage {
  return {
    name: file,
    file,
    open: async (options) => openDatabase(file, options),
    openReader: async (options) => {
      const reader = openReader(file, options);
      return { read: (fn) => reader.read(fn), close: async () => reader.close() };
    },
    migrationStates: async ({ canBeAbsent = false } = {}) =>
      canBeAbsent && !existsSync(file) ? statesOf([], migrations) : databaseStatus(file),
    check: async (options) => checkDatabase(file, options),
    openCopySource: async (clock) => (await import("./copy.ts")).openCopySource(file, clock()),
    openCopyTarget: async (clock) => (await import("./copy.ts")).openCopyTarget(file, clock()),
  };
}
