import type { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "../db/schema.ts";
import { Connection } from "../db/sqlite/connection.ts";
import { openDatabase } from "../db/sqlite/engine.ts";
import { render } from "../db/sqlite/prepared.ts";
import { builtStatements, type Statement, statementNamed } from "../db/statements.ts";
import { world } from "./support/world.ts";

export const root = join(import.meta.dir, "..");

/** The tables without tenant data, and the stores that use them. */
export const exceptions = {
  api_keys: { exportedAs: "apiKeys", stores: ["src/api-keys/store.ts", "src/organizations/delete.ts"] },
  organizations: {
    exportedAs: "organizations",
    stores: ["src/organizations/delete.ts", "src/organizations/store.ts"],
  },
};
const tables = Object.values(schema).filter((value) => is(value, SQLiteTable));
export const ownTables = tables.map((table) => getTableName(table)).filter((name) => !(name in exceptions));

/** A statement's SQL, the same with the name of each input in its place, and SQLite's plan of it. */
export type Prepared = { name: string; sql: string; named: string; plan: string[] };

/** Every statement of the service, each variant of each list and update among them. */
export async function prepareAll(): Promise<Prepared[]> {
  await buildEveryStatement();
  const folder = mkdtempSync(join(tmpdir(), "accountd-"));
  const file = join(folder, "accountd.db");
  await openDatabase(file, { clock: () => 0, create: true }).close();
  const connection = new Connection(file, { busyTimeoutMilliseconds: 0 });
  try {
    return productStatements().map((statement) => {
      const { sql } = render(statement);
      // Throws where SQLite cannot prepare it.
      connection.client.prepare(sql);
      return {
        name: statement.name,
        sql,
        named: withNames(statement),
        plan: planOf(connection.client, sql),
      };
    });
  } finally {
    connection.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds every variant of every family, so that `productStatements` has all that the service can use. */
export async function buildEveryStatement(): Promise<void> {
  // Statements are defined anywhere in the sources. Only main.ts does something when it is imported.
  for (const path of new Bun.Glob("src/**/*.ts").scanSync(root))
    if (!/\.d\.ts$|^src\/main\.ts$/.test(path)) await import(join(root, path));
  await requestEveryListVariant();
  buildEveryUpdate();
}

/** All statements that were built, but those of tests. */
export function productStatements(): Statement<unknown>[] {
  return builtStatements().filter(({ name }) => !name.startsWith("tests."));
}

function planOf(client: Database, sql: string): string[] {
  return client
    .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => detail);
}

/** The SQL with the name of each input in its place: `?organizationId`. */
function withNames(statement: Statement<unknown>): string {
  const { sql, inputs } = render(statement);
  let next = 0;
  return sql.replaceAll("?", () => {
    const input = inputs[next];
    next += 1;
    return input && "name" in input ? `?${input.name}` : "?";
  });
}

/** The columns that an update of a resource can set, and the folded copy of some. */
const updatable: Record<string, Record<string, string | null>> = {
  accounts: {
    name: "foldedName",
    externalId: "foldedExternalId",
    mrr: null,
    status: null,
    logoUrl: null,
    contactActivityAt: null,
  },
  contacts: { accountId: null, externalId: null, name: "foldedName", email: "foldedEmail" },
  meetings: { accountId: null, externalId: null, title: "foldedTitle", startAt: null, endAt: null },
  requests: {
    accountId: null,
    externalId: null,
    title: "foldedTitle",
    status: null,
    severity: null,
    requestedAt: null,
    resolvedAt: null,
  },
};

/** Builds the update of each set of columns of each resource. */
function buildEveryUpdate(): void {
  for (const [table, columns] of Object.entries(updatable))
    for (const changed of choicesOf(Object.keys(columns).map((name) => [name]))) {
      if (changed.length === 0) continue;
      const folded = changed.flatMap((name) => columns[name] ?? []);
      statementNamed(`${table}.update/${[...changed, "updatedAt", ...folded].join("+")}`);
    }
}

/** A parameter of a list, as its route describes it. */
type Parameter = { type?: string; format?: string; enum?: string[] };

/** Requests every list in every order with every choice of filters: each has statements of its own. */
async function requestEveryListVariant(): Promise<void> {
  const { app, account, call } = await world();
  const { id } = await account({ name: "Acme" });
  for (const { method, path, hooks } of app.routes) {
    const { page, pageSize, sortBy, sortOrder, ...filters } = parametersOf(hooks);
    if (method !== "GET" || !page || !pageSize) continue;
    const orders = (sortBy?.enum ?? []).flatMap((column) =>
      (sortOrder?.enum ?? []).map((order) => `sortBy=${column}&sortOrder=${order}`),
    );
    const values = Object.entries(filters).map(([name, filter]) =>
      valuesFor(filter, id).map((value) => `${name}=${value}`),
    );
    for (const order of orders.length > 0 ? orders : ["page=1"]) {
      for (const chosen of choicesOf(values)) {
        const address = `${path.replace(":accountId", id)}?${[order, ...chosen].join("&")}`;
        const { status, text } = await call("GET", address);
        if (status !== 200) throw new Error(`${address} is answered ${status}: ${text}`);
      }
    }
  }
}

function parametersOf(hooks: { query?: unknown }): Record<string, Parameter> {
  // Safe: a query's shape is one of ours, whose members have these keywords.
  const query = hooks.query as { properties?: Record<string, Parameter> } | undefined;
  return query?.properties ?? {};
}

/** Values of a parameter; of one with few values, the first and the last. */
function valuesFor({ type, format = "", enum: words = [] }: Parameter, id: number): (string | number)[] {
  if (type === "integer") return [id];
  if (words.length > 0) return [...words.slice(0, 1), ...words.slice(1).slice(-1)];
  return [/date|iso/.test(format) ? "2026-01-01" : "a"];
}

/** Every choice of one value or none from each. */
export function choicesOf<T>(all: readonly T[][]): T[][] {
  return all.reduce<T[][]>(
    (choices, values) => choices.flatMap((chosen) => [chosen, ...values.map((value) => [...chosen, value])]),
    [[]],
  );
}
