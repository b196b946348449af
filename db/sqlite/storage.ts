import type { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { sharedAddresses } from "../addresses.ts";
import { newestTimeSql } from "../clock-gaps.ts";
import { comparisons, maxFaults } from "../comparisons.ts";
import { readFaults } from "../derived-faults.ts";
import { createdAtSql, type Inspection } from "../inspection.ts";
import { statesOf } from "../migration.ts";
import type { Storage, StorageCheck } from "../storage.ts";
import { openDatabase, openReader } from "./engine.ts";
import { assertFinished, assertUndamaged, databaseStatus, withReadableDatabase } from "./file.ts";
import { checkMigrations } from "./migrate.ts";
import { migrations } from "./migrations/list.ts";
import { fileSize, staleWalAdvice } from "./wal.ts";

/**
 * Reads the whole file and returns its faults, one line each; an empty array for a sound database. Changes nothing.
 * Throws UnusableDatabase when the file is damaged too badly to say where, or is not a database of this binary.
 */
export function checkDatabase(
  file: string,
  { isQuick = false, firstCompleteDay, onNote = () => {}, onDerived, onCompared, only }: StorageCheck,
): string[] {
  return withReadableDatabase(file, ({ client }) => {
    const applied = checkMigrations(client, migrations).length;
    assertFinished(client);
    if (isQuick) {
      assertUndamaged(file, client);
      return [];
    }
    client.run("PRAGMA query_only = ON");
    client.run("BEGIN");
    if (!only) {
      const faults = structuralFaults(file, client);
      // Statements on a damaged index or on tables of an older version would return wrong rows.
      if (faults.length > 0 || applied < migrations.length) return faults;
      onCompared?.();
      for (const [note] of findRows(client, sharedAddresses)) onNote(String(note));
    }
    const terms = {
      dateOfDay: "date(day * 86400, 'unixepoch')",
      firstCompleteDay: String(firstCompleteDay),
      attributesIn,
      jsonArray: (columns: string) => `json_array(${columns})`,
    };
    return comparisons(terms)
      .filter(({ kind }) => !only || kind === only.kind)
      .flatMap(({ kind, query }) => readFaults(kind, findRows(client, query, only?.maxFaults), onDerived));
  });
}

function structuralFaults(file: string, client: Database): string[] {
  const rows = client.query<{ integrity_check: string }, []>(`PRAGMA integrity_check(${maxFaults})`).all();
  const lines = rows.flatMap((row) => row.integrity_check.split("\n"));
  const damaged = lines.filter((line) => line !== "ok" && !line.startsWith("*** in database"));
  const advice = damaged.length > 0 ? staleWalAdvice(file) : undefined;
  if (advice) damaged.unshift(`The file is damaged. ${advice}`);
  return [...damaged, ...brokenReferences(client)];
}

function brokenReferences(client: Database): string[] {
  const rows = client.query("PRAGMA foreign_key_check").values().slice(0, maxFaults);
  return rows.map(
    ([table, rowid, parent]) => `row ${rowid ?? "?"} of ${table} references no row of ${parent}`,
  );
}

/** See `ComparisonTerms`. */
function attributesIn(table: string): string {
  return `SELECT t.organization_id, t.id AS row_id, e.key AS name,
    CASE e.type WHEN 'text' THEN 'string' WHEN 'true' THEN 'boolean' WHEN 'false' THEN 'boolean' ELSE 'number' END AS type,
    CASE e.type WHEN 'text' THEN e.atom END AS text,
    CASE e.type WHEN 'text' THEN NULL ELSE cast(e.atom AS REAL) END AS number
    FROM ${table} AS t, json_each(t.attributes) AS e`;
}

function findRows(client: Database, query: string, limit = maxFaults): unknown[][] {
  return client.prepare(`${query} LIMIT ${limit}`).values();
}

/** Reads a file next to its server, or without one, and changes nothing. Throws UnusableDatabase. */
function inspectFile(file: string): Inspection {
  return withReadableDatabase(file, ({ client }) => {
    const timeOf = (sql: string) => client.query<{ time: number | null }, []>(sql).get()?.time ?? null;
    const { version } =
      client.query<{ version: string }, []>("SELECT sqlite_version() AS version").get() ?? {};
    return {
      engine: `SQLite ${version}`,
      bytes: fileSize(file) + fileSize(`${file}-wal`),
      createdAt: timeOf(createdAtSql),
      newestAt: timeOf(newestTimeSql),
    };
  });
}

export function sqliteStorage(file: string): Storage {
  return {
    name: file,
    file,
    open: async (options) => openDatabase(file, options),
    openReader: async (options) => openReader(file, options),
    migrationStates: async ({ canBeAbsent = false } = {}) =>
      canBeAbsent && !existsSync(file) ? statesOf([], migrations) : databaseStatus(file),
    check: async (options) => checkDatabase(file, options),
    inspect: async () => inspectFile(file),
    openCopySource: async (clock) => (await import("./copy.ts")).openCopySource(file, clock()),
    openCopyTarget: async (clock) => (await import("./copy.ts")).openCopyTarget(file, clock()),
  };
}
