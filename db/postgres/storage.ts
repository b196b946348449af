import type { SQL } from "bun";
import { sharedAddresses } from "../addresses.ts";
import { newestTimeSql } from "../clock-gaps.ts";
import { comparisons, maxFaults } from "../comparisons.ts";
import { readFaults } from "../derived-faults.ts";
import { UnusableDatabase } from "../errors.ts";
import { createdAtSql, type Inspection } from "../inspection.ts";
import { countPending, unfinishedMessage } from "../migration.ts";
import { nameOfServer } from "../server-url.ts";
import type { ConnectionSettings, Storage, StorageCheck } from "../storage.ts";
import { isUnfinished, noTablesMessage, withSql } from "./connections/open.ts";
import { openPostgres } from "./engine.ts";
import { migrationStates } from "./migrate.ts";
import { migrations } from "./migrations/list.ts";

/** The faults, or notes, of one kind that are reported. */
const dateOfDay = "to_char(to_timestamp(day * 86400) at time zone 'UTC', 'YYYY-MM-DD')";

/**
 * Compares stored counts and sums with the rows that they count, in one snapshot; returns the faults, one line each.
 * Damaged pages are found by the checksums of the server, and broken references cannot be stored.
 */
export function findFaults(
  sql: SQL,
  firstCompleteDay: number,
  { onNote = () => {}, onDerived, only }: Pick<StorageCheck, "onNote" | "onDerived" | "only"> = {},
): Promise<string[]> {
  return sql.begin("isolation level repeatable read read only", async (tx) => {
    // The whole tables are read.
    await tx`set local statement_timeout = 0`;
    const findRows = async (query: string): Promise<unknown[][]> =>
      tx.unsafe(`${query} LIMIT ${only?.maxFaults ?? maxFaults}`).values();
    if (!only) for (const [note] of await findRows(sharedAddresses)) onNote(String(note));
    const faults: string[] = [];
    const terms = { dateOfDay, firstCompleteDay: String(firstCompleteDay), attributesIn, jsonArray };
    for (const { kind, query } of comparisons(terms))
      if (!only || kind === only.kind) faults.push(...readFaults(kind, await findRows(query), onDerived));
    return faults;
  });
}

/** See `ComparisonTerms`. As text, because the driver parses JSON. */
const jsonArray = (columns: string) => `cast(json_build_array(${columns}) AS text)`;

/** See `ComparisonTerms`. */
function attributesIn(table: string): string {
  return `SELECT t.organization_id, t.id AS row_id, e.name, json_typeof(e.value) AS type,
    CASE json_typeof(e.value) WHEN 'string' THEN e.value #>> '{}' END AS text,
    CASE json_typeof(e.value) WHEN 'number' THEN cast(e.value #>> '{}' AS double precision)
      WHEN 'boolean' THEN CASE e.value #>> '{}' WHEN 'true' THEN 1 ELSE 0 END END AS number
    FROM ${table} AS t, json_each(cast(t.attributes AS json)) AS e (name, value)`;
}

/** Reads a database and the settings of its server. */
async function inspectServer(sql: SQL, { version }: { version: string }): Promise<Inspection> {
  const timeOf = async (query: string) => {
    const [row] = await sql.unsafe(query);
    return row?.time == null ? null : Number(row.time);
  };
  const times = { createdAt: await timeOf(createdAtSql), newestAt: await timeOf(newestTimeSql) };
  const settings = await sql`select name, setting from pg_settings`;
  // The last statement: the caller compares the clocks.
  const [state] =
    await sql`select pg_is_in_recovery() as "isStandby", pg_database_size(current_database()) as bytes,
    (select count(*) from pg_stat_activity where backend_type = 'client backend') as "connectionCount",
    floor(extract(epoch from clock_timestamp()) * 1000) as time`;
  return {
    engine: `PostgreSQL ${version}`,
    bytes: Number(state.bytes),
    ...times,
    server: {
      settings: Object.fromEntries(
        settings.map(({ name, setting }: { name: string; setting: string }) => [name, setting]),
      ),
      time: Number(state.time),
      isStandby: state.isStandby,
      connectionCount: Number(state.connectionCount),
    },
  };
}

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
      const single = { ...connections, readConnections: 1, writeLanes: 1 };
      return openPostgres(url, { ...options, connections: single });
    },
    migrationStates: states,
    inspect: () => withSql(url, inspectServer, connections.prepare),
    openCopySource: async (clock) => (await import("./copy.ts")).openCopySource(url, clock),
    openCopyTarget: async (clock) => (await import("./copy.ts")).openCopyTarget(url, clock),
    // Damaged pages are found by the checksums of the server.
    async check({ isQuick = false, firstCompleteDay, onCompared, ...options }) {
      const all = await states();
      const pending = countPending(all);
      if (pending === all.length) throw new UnusableDatabase(noTablesMessage);
      // As with SQLite, the tables of an older version are not compared.
      if (isQuick || pending > 0) return [];
      onCompared?.();
      return withConnection((sql) => findFaults(sql, firstCompleteDay, options));
    },
  };
}
