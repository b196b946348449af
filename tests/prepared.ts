import type { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { is, Param, Placeholder } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "../db/schema.ts";
import { Connection } from "../db/sqlite/connection.ts";
import { openDatabase } from "../db/sqlite/engine.ts";
import { statements } from "../db/statements.ts";
import { world } from "./support/world.ts";

export const root = join(import.meta.dir, "..");

/** The tables that are no organization's own, and the stores that alone may name them. */
export const exceptions = {
  api_keys: { exportedAs: "apiKeys", store: "src/api-keys/store.ts" },
  organizations: { exportedAs: "organizations", store: "src/organizations/store.ts" },
};
export const ownTables = Object.values(schema)
  .filter((value) => is(value, SQLiteTable))
  .map((table) => getTableConfig(table).name)
  .filter((name) => !(name in exceptions));

/** A statement's SQL, the same with the name of each input in its place, and how SQLite would run it. */
export type Prepared = { sql: string; named: string; plan: string[] };

/** Every statement of the service, each shape of each list among them, each once. */
export async function prepareAll(): Promise<Prepared[]> {
  // Whatever defines a statement is somewhere in the sources; main.ts alone does something when it is imported.
  for (const path of new Bun.Glob("src/**/*.ts").scanSync(root))
    if (!/\.d\.ts$|^src\/main\.ts$/.test(path)) await import(join(root, path));
  await makeEveryListShape();
  const folder = mkdtempSync(join(tmpdir(), "accountd-"));
  const file = join(folder, "accountd.db");
  await openDatabase(file, { now: 0, create: true }).close();
  const connection = new Connection(file, { busyTimeout: 0 });
  try {
    const all = statements.map((statement) => {
      const query = connection.prepared(statement).getQuery();
      return { sql: query.sql, named: withNames(query), plan: planOf(connection.client, query.sql) };
    });
    return [...new Map(all.map((one) => [one.named, one])).values()];
  } finally {
    connection.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function planOf(client: Database, sql: string): string[] {
  return client
    .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => detail);
}

/** The SQL with the name of each input in its place: `?organizationId`. */
function withNames(query: { sql: string; params?: unknown[] }): string {
  const params = query.params ?? [];
  let next = 0;
  return query.sql.replaceAll("?", () => {
    const param = params[next];
    next += 1;
    const value = is(param, Param) ? param.value : param;
    return is(value, Placeholder) ? `?${value.name}` : "?";
  });
}

/** A parameter of a list, as its route describes it. */
type Parameter = { type?: string; format?: string; enum?: string[] };

/** Asks every list in every order with every choice of filters, for each has a statement of its own. */
async function makeEveryListShape(): Promise<void> {
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
function choicesOf<T>(all: T[][]): T[][] {
  return all.reduce<T[][]>(
    (choices, values) => choices.flatMap((chosen) => [chosen, ...values.map((value) => [...chosen, value])]),
    [[]],
  );
}
