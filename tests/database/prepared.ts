import type { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "../../db/schema.ts";
import { Connection } from "../../db/sqlite/connection.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { render } from "../../db/sqlite/prepared.ts";
import { definedStatements, type Statement, statementNamed } from "../../db/statements.ts";
import { ATTRIBUTES_PARAMETER } from "../../src/core/attributes/attributes.ts";
import { world } from "../support/world.ts";

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

/** Every statement of the service, with every variant of every list and update. */
export async function prepareAll(): Promise<Prepared[]> {
  await buildEveryStatement();
  const folder = mkdtempSync(join(tmpdir(), "accountd-"));
  const file = join(folder, "accountd.db");
  await openDatabase(file, { clock: () => 0, canCreate: true }).close();
  const connection = new Connection(file, { busyTimeoutMilliseconds: 0 });
  try {
    return productStatements().map((statement) => {
      const { sql } = render(statement);
      // Throws when SQLite cannot prepare the statement.
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

/** Builds every variant of every family, so that `productStatements` has all statements that the service can use. */
export async function buildEveryStatement(): Promise<void> {
  // Any module of the program may define statements. The import of main.ts has an effect.
  for (const path of new Bun.Glob("src/**/*.ts").scanSync(root))
    if (!/\.d\.ts$|^src\/main\.ts$|^src\/console\/(?:app\/|dist\/|build\.ts$)/.test(path))
      await import(join(root, path));
  await requestEveryListVariant();
  buildAttributeVariants();
  buildEveryUpdate();
}

/** All statements that were built, except those of tests. */
export function productStatements(): Statement<unknown>[] {
  return definedStatements().filter(({ name }) => !/(?:^|\/)tests\./.test(name));
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

/** The columns that an update of a resource can set, with their folded copies. */
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

/** Builds the update of every set of columns of every resource. */
function buildEveryUpdate(): void {
  for (const [table, columns] of Object.entries(updatable))
    for (const changed of choicesOf(Object.keys(columns).map((name) => [name]))) {
      if (changed.length === 0) continue;
      const folded = changed.flatMap((name) => columns[name] ?? []);
      statementNamed(`${table}.update/${[...changed, "updatedAt", ...folded].join("+")}`);
    }
}

/** Builds representative statements of the lists of rows with attributes. */
function buildAttributeVariants(): void {
  for (const list of ["accounts.list", "contacts.list"]) {
    for (const filters of [
      "attribute:none",
      "attribute:text",
      "attribute:textList",
      "attribute:numberList",
      "fields+attribute:number",
      "fields+attributes:3",
      "attributeIds",
      "attributeIds+attributes:10",
    ])
      for (const order of ["asc", "desc"]) statementNamed(`${list}/page/createdAt/${order}/${filters}`);
    for (const column of ["text/all", "text/range", "text/list", "number/all", "number/range", "number/list"])
      for (const order of ["asc", "desc"])
        for (const filters of ["", "fields", "search", "attribute:text", "attributeIds+attributes:3"])
          statementNamed(`${list}.byAttribute/valued/${column}/${order}/${filters}`);
  }
}

/** The schema of a parameter of a list. */
type Parameter = {
  type?: string;
  format?: string;
  enum?: string[];
  anyOf?: Parameter[];
  items?: Parameter;
  maxItems?: number;
};

/**
 * Requests every list in every order with every combination of filters, each of which has its own statements, and with
 * representative combinations of the filters with operators: their statements differ by the field whose index is used.
 */
async function requestEveryListVariant(): Promise<void> {
  const { app, account, call } = await world();
  const { id } = await account({ name: "Acme" });
  for (const { method, path, hooks } of app.routes) {
    const {
      page,
      pageSize,
      cursor: _,
      sortBy,
      sortOrder,
      // Their statements are built without requests.
      [ATTRIBUTES_PARAMETER]: __,
      ...parameters
    } = parametersOf(hooks);
    if (method !== "GET" || !page || !pageSize) continue;
    const orders = (sortBy?.enum ?? sortBy?.anyOf?.[0]?.enum ?? []).flatMap((column) =>
      (sortOrder?.enum ?? []).map((order) => `sortBy=${column}&sortOrder=${order}`),
    );
    const pairsOf = ([name, filter]: [string, Parameter]) =>
      valuesFor(filter, id).map((value) => `${name}=${value}`);
    const isField = ([name, { type = "" }]: [string, Parameter]) =>
      /number|boolean/.test(type) ||
      /\[(gte|in)\]$/.test(name) ||
      (name === "tier" && path.includes("accounts"));
    const isOther = ([name]: [string, Parameter]) => name.includes("[") || `${name}[gte]` in parameters;
    // The members of `include` have statements of their own, which are built without a request.
    const all = Object.entries(parameters).filter(([, { items, maxItems }]) => !items || maxItems);
    const fields = all.filter((entry) => isField(entry) && !(`${entry[0]}[gte]` in parameters)).map(pairsOf);
    const plain = all.filter((entry) => !isField(entry) && !isOther(entry)).map(pairsOf);
    const ofFields = fields.map(([one = ""]) => [one]);
    const withFilter = fields.slice(0, 1).flatMap(([field = ""]) => plain.map(([one = ""]) => [field, one]));
    const together = [...fields, ...plain].map(([value = ""]) => value);
    const everyField = fields.map(([one = ""]) => one);
    for (const [i, order] of (orders.length > 0 ? orders : ["page=1"]).entries()) {
      // The direction makes no difference to the filters.
      const combinations =
        i % 2 === 0 ? [...ofFields, everyField, ...(i === 0 ? [...withFilter, together] : [])] : [];
      for (const chosen of [...choicesOf(plain), ...combinations]) {
        const address = `${path.replace(":accountId", id)}?${[order, ...chosen].join("&")}`;
        const { status, text } = await call("GET", address);
        if (status !== 200) throw new Error(`${address} is answered ${status}: ${text}`);
      }
    }
  }
}

function parametersOf(hooks: { query?: unknown }): Record<string, Parameter> {
  // Safe: our query schemas have members with these keywords.
  const query = hooks.query as { properties?: Record<string, Parameter> } | undefined;
  return query?.properties ?? {};
}

/** Values of a parameter; of an enum, the first and the last. */
function valuesFor(
  { type, format = "", enum: words = [], items }: Parameter,
  id: number,
): (string | number)[] {
  if (items) return valuesFor(items, id);
  if (type === "integer") return [id];
  if (type === "number") return [1];
  if (type === "boolean") return ["true"];
  if (words.length > 0) return [...words.slice(0, 1), ...words.slice(1).slice(-1)];
  return [/date|iso/.test(format) ? "2026-01-01" : "a"];
}

/** Every combination of one value or no value of each. */
export function choicesOf<T>(all: readonly T[][]): T[][] {
  return all.reduce<T[][]>(
    (choices, values) => choices.flatMap((chosen) => [chosen, ...values.map((value) => [...chosen, value])]),
    [[]],
  );
}
