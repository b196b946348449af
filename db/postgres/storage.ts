import { UnusableDatabase } from "../errors.ts";
import { unfinishedMessage } from "../migration.ts";
import type { Storage } from "../storage.ts";
import { findFaults } from "./check.ts";
import { openCopySource, openCopyTarget } from "./copy.ts";
import { openPostgres } from "./engine.ts";
import { migrationStates } from "./migrate.ts";
import { migrations } from "./migrations/list.ts";
import { isUnfinished, nameOf, withSql } from "./open.ts";

/** A database of a PostgreSQL server. */
export function postgresStorage(url: string): Storage {
  const states = () => withSql(url, (sql) => migrationStates(sql, migrations));
  return {
    name: nameOf(url),
    file: undefined,
    open: ({ isExclusive = false, canMigrate = true, canCreate = false, ...options }) =>
      openPostgres(url, { ...options, canCreate, canMigrate: isExclusive && canMigrate }),
    async openReader(options) {
      const engine = await openPostgres(url, {
        ...options,
        connections: { readConnections: 1, writeLanes: 1 },
      });
      return { read: (fn) => engine.read(fn), close: () => engine.close() };
    },
    migrationStates: states,
    async countMigrations() {
      const all = await states();
      return { total: all.length, pending: all.filter(({ appliedAt }) => appliedAt === null).length };
    },
    openCopySource: (clock) => openCopySource(url, clock),
    openCopyTarget: (clock) => openCopyTarget(url, clock),
    // Damaged pages are found by the checksums of the server.
    async check({ isQuick = false, firstCompleteDay }) {
      if (await withSql(url, isUnfinished)) throw new UnusableDatabase(unfinishedMessage);
      const pending = (await states()).filter(({ appliedAt }) => appliedAt === null).length;
      if (isQuick || pending > 0) return [];
      return withSql(url, (sql) => findFaults(sql, firstCompleteDay));
    },
  };
}
