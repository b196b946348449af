import type { SQL } from "bun";
import { UnusableDatabase } from "../errors.ts";
import { countPending, unfinishedMessage } from "../migration.ts";
import { nameOfServer } from "../server-url.ts";
import type { ConnectionSettings, Storage } from "../storage.ts";
import { findFaults } from "./check.ts";
import { isUnfinished, noTablesMessage, withSql } from "./connections/open.ts";
import { openPostgres } from "./engine.ts";
import { migrationStates } from "./migrate.ts";
import { migrations } from "./migrations/list.ts";

/** A database of a PostgreSQL server. */
export function postgresStorage(url: string, connections: Partial<ConnectionSettings> = {}): Storage {
  const withConnection = <T>(work: (sql: SQL) => Promise<T>) => withSql(url, work, connections.prepare);
  const states = () =>
    withConnection(async (sql) => {
      if (await isUnfinished(sql)) throw new UnusableDatabase(unfinishedMessage);
      return migrationStates(sql, migrations);
    });
  return {
    name: nameOfServer(url),
    file: undefined,
    open: ({ isExclusive = false, canMigrate = true, canCreate = false, ...options }) =>
      openPostgres(url, { ...options, connections, canCreate, canMigrate: isExclusive && canMigrate }),
    async openReader(options) {
      const engine = await openPostgres(url, {
        ...options,
        connections: { ...connections, readConnections: 1, writeLanes: 1 },
      });
      return { read: (fn) => engine.read(fn), close: () => engine.close() };
    },
    migrationStates: states,
    openCopySource: async (clock) => (await import("./copy.ts")).openCopySource(url, clock),
    openCopyTarget: async (clock) => (await import("./copy.ts")).openCopyTarget(url, clock),
    // Damaged pages are found by the checksums of the server.
    async check({ isQuick = false, firstCompleteDay, onNote }) {
      const all = await states();
      const pending = countPending(all);
      if (pending === all.length) throw new UnusableDatabase(noTablesMessage);
      // As with SQLite, the tables of an older version are not compared.
      if (isQuick || pending > 0) return [];
      return withConnection((sql) => findFaults(sql, firstCompleteDay, onNote));
    },
  };
}
