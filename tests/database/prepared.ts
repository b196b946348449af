import type { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "../../db/schema.ts";
import { Connection, render } from "../../db/sqlite/connection.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { definedStatements, type Statement } from "../../db/statements.ts";
import { createRowStore } from "../../src/core/resource/rows.ts";
import { resourceTables } from "../../src/core/resource/tables.ts";
import { everyListStatement, type ListName, type Query, statementsOf } from "./list-statements.ts";

export const root = join(import.meta.dir, "../..");

/** The tables without tenant data, and their stores. Which jobs are due is read for all organizations at once. */
export const exceptions = {
  api_keys: {
    exportedAs: "apiKeys",
    stores: [
      "src/api-keys/organization-keys.ts",
      "src/api-keys/sessions.ts",
      "src/api-keys/store.ts",
      "src/organizations/delete.ts",
    ],
  },
  organizations: {
    exportedAs: "organizations",
    stores: [
      "src/api-keys/sessions.ts",
      "src/core/due-jobs.ts",
      "src/core/file-erasure.ts",
      "src/organizations/delete.ts",
      "src/organizations/store.ts",
    ],
  },
  clock_gaps: { exportedAs: "clockGaps", stores: ["src/core/clock-trust.ts"] },
  secrets: { exportedAs: "secrets", stores: ["src/core/secrets.ts"] },
};
const tables = Object.values(schema).filter((value) => is(value, SQLiteTable));
export const ownTables = tables.map((table) => getTableName(table)).filter((name) => !(name in exceptions));

/** The SQL of a statement, the SQL with the names of its inputs, and SQLite's plan. */
export type Prepared = { name: string; sql: string; named: string; plan: string[] };

/** Every statement of the service, with those of every list and every update. */
export async function prepareAll(): Promise<Prepared[]> {
  await buildEveryStatement();
  const fixed = productStatements().map((statement) => ({ name: statement.name, statement }));
  return prepare([...fixed, ...(await everyListStatement())]);
}

/** The statements of a request of a list. */
export async function prepareList(list: ListName, query: Query): Promise<Prepared[]> {
  return prepare(await statementsOf(list, query));
}

/** Whether it is a statement of a list. */
export function isOfList({ name }: { name: string }): boolean {
  return name.includes("{");
}

function prepare(statements: readonly { name: string; statement: Statement<unknown> }[]): Prepared[] {
  const folder = mkdtempSync(join(tmpdir(), "accountd-"));
  const file = join(folder, "accountd.db");
  openDatabase(file, { clock: () => 0, canCreate: true }).close();
  const connection = new Connection(file, { busyTimeoutMilliseconds: 0 });
  try {
    return statements.map(({ name, statement }) => {
      const { sql } = render(statement);
      // Throws when SQLite cannot prepare the statement.
      connection.client.prepare(sql).finalize();
      return { name, sql, named: withNames(statement), plan: planOf(connection.client, sql) };
    });
  } finally {
    connection.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds every update, so that `productStatements` has all statements with a name. */
export async function buildEveryStatement(): Promise<void> {
  // Any module of the program may define statements. The import of main.ts has an effect.
  for (const path of new Bun.Glob("src/**/*.ts").scanSync(root))
    if (!/\.d\.ts$|^src\/main\.ts$|^src\/console\/(?:app\/|dist\/|build\.ts$)/.test(path))
      await import(join(root, path));
  buildEveryUpdate();
}

/** All statements that were built, except those of tests. */
export function productStatements(): Statement<unknown>[] {
  return definedStatements.filter(({ name }) => !/(?:^|\/)tests\./.test(name));
}

/** The statement of the program with this name. */
export function statementNamed(name: string): Statement<unknown> {
  const statement = definedStatements.find((defined) => defined.name === name);
  if (!statement) throw new Error(`no statement is named ${name}`);
  return statement;
}

function planOf(client: Database, sql: string): string[] {
  return client
    .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => detail);
}

/** The SQL with the names of its inputs: `?organizationId`. */
function withNames(statement: Statement<unknown>): string {
  const { sql, inputs } = render(statement);
  let next = 0;
  return sql.replaceAll("?", () => {
    const input = inputs[next];
    next += 1;
    return input && "name" in input ? `?${input.name}` : "?";
  });
}

/** Builds the update of each column of every resource, and of all of them. */
function buildEveryUpdate(): void {
  for (const table of Object.values(resourceTables)) {
    const fields = getTableColumns(table);
    // Safe: what statements are built from.
    const store = createRowStore({ table, fields, folded: {}, conflicts: [] } as never);
    const names = Object.keys(fields).filter((name) => name !== "id" && name !== "organizationId");
    for (const changed of [...names.map((name) => [name]), names]) store.updateOf(changed);
  }
}

/** The names of the statements whose plan does not match. */
export function namesWithout(statements: readonly Prepared[], plan: RegExp): string[] {
  return statements.filter((prepared) => !plan.test(prepared.plan.join("; "))).map(({ name }) => name);
}
