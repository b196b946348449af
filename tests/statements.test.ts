import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { is, Param, Placeholder } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { Connection } from "../db/connection.ts";
import { openDatabase } from "../db/open.ts";
import * as schema from "../db/schema.ts";
import { statements } from "../db/statements.ts";
import { world } from "./support/world.ts";

/** The tables that are no organization's own, and the stores that alone may name them. */
const exceptions = {
  api_keys: { exportedAs: "apiKeys", store: "src/keys/store.ts" },
  organizations: { exportedAs: "organizations", store: "src/organizations/store.ts" },
};
const ownTables = Object.values(schema)
  .filter((value) => is(value, SQLiteTable))
  .map((table) => getTableConfig(table).name)
  .filter((name) => !(name in exceptions));

const root = join(import.meta.dir, "..");
const folder = mkdtempSync(join(tmpdir(), "accountd-"));
const file = join(folder, "accountd.db");
await openDatabase(file, { now: 0, create: true }).close();
const connection = new Connection(file, { busyTimeout: 0 });
afterAll(() => {
  connection.close();
  rmSync(folder, { recursive: true, force: true });
});

for (const path of new Bun.Glob("src/**/{store,listing}.ts").scanSync(root)) await import(join(root, path));
await makeEveryListShape();
const plain = statements.map((statement) => connection.prepared(statement).getQuery().sql);
const named = statements.map((statement) => withNames(connection.prepared(statement).getQuery()));
const lists = plain.filter((sql) => /from "accounts" where .* limit /.test(sql) && !sql.includes("json_"));

async function makeEveryListShape(): Promise<void> {
  const { call } = await world();
  const filters = ["status=active", "externalId=a", "search=a"];
  for (const sortBy of ["name", "mrr", "createdAt", "updatedAt"]) {
    for (const sortOrder of ["asc", "desc"]) {
      for (let chosen = 0; chosen < 2 ** filters.length; chosen += 1) {
        const some = filters.filter((_, i) => chosen & (1 << i));
        const query = [`sortBy=${sortBy}`, `sortOrder=${sortOrder}`, ...some].join("&");
        const { status } = await call("GET", `/api/v1/accounts?${query}`);
        if (status !== 200) throw new Error(`${query} is answered ${status}`);
      }
    }
  }
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

/** What of a statement (with named inputs) could reach rows of another organization; empty when nothing can. */
function breaches(sql: string): string[] {
  // Parts in parentheses, the innermost first: each is one scope, in which a deeper one stands as `#n`.
  const parts: string[] = [];
  let text = sql.replaceAll("cast(?organizationId as integer)", "?organizationId");
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/\(([^()]*)\)/, (_, inside: string) => `#${parts.push(inside) - 1};`);
  }
  return [...parts, text].flatMap((scope) => ownTables.flatMap((table) => breachesIn(scope, table, parts)));
}

function breachesIn(scope: string, table: string, parts: string[]): string[] {
  if (new RegExp(`(?<![".\\w])${table}(?!["\\w])`, "i").test(scope)) return [`${table} without quotes`];
  const isNamed = new RegExp(`(?<!\\.)"${table}"(?!\\.)`).test(scope);
  if (!isNamed) return [];
  const own = `"${table}"."organization_id" = ?organizationId`;
  const inserted = new RegExp(`^insert into "${table}" #(\\d+); values #(\\d+);`).exec(scope);
  if (inserted) return breachesOfInsert(scope, table, parts, inserted.slice(1).map(Number));
  if (/ set .*"organization_id" =.* where /.test(scope)) return [`${table} moves to another organization`];
  const where = / where (.*?)(?: group by .*| order by .*| limit .*| returning .*)?$/.exec(scope)?.[1] ?? "";
  const condition = /^#(\d+);$/.exec(where);
  const terms = condition ? (parts[Number(condition[1])] ?? "") : where;
  const isOwn = !/ or /i.test(terms) && terms.split(" and ").includes(own);
  return isOwn ? [] : [`${table} without ${own}`];
}

function breachesOfInsert(scope: string, table: string, parts: string[], places: number[]): string[] {
  const [columns = [], values = []] = places.map((place) => (parts[place] ?? "").split(", "));
  if (values[columns.indexOf('"organization_id"')] !== "?organizationId")
    return [`${table} gets a row of no organization`];
  const target = / on conflict #(\d+);/.exec(scope);
  const isOwn = !target || parts[Number(target[1])]?.includes('"organization_id"');
  return isOwn ? [] : [`${table} is changed for any organization`];
}

/** The SQL where a bare input stands in a statement that orders: SQLite would plan it anew at every run. */
function bareBesideOrder(sql: string): boolean {
  return / order by /.test(sql) && sql.replace(/cast\(\? as (integer|real|text)\)/g, "").includes("?");
}

function planOf(sql: string): string[] {
  const client = new Database(file, { readonly: true });
  const plan = client.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all();
  client.close();
  return plan.map(({ detail }) => detail);
}

test("there are statements on every table of an organization, and 64 shapes of lists", () => {
  for (const table of ownTables) expect(named.some((sql) => sql.includes(`"${table}"`))).toBe(true);
  expect(new Set(lists).size).toBe(64);
});

test("every mention of a table that organizations own has the organization's predicate", () => {
  const found = named.map((sql) => ({ sql, breaches: breaches(sql) }));
  expect(found.filter((one) => one.breaches.length > 0)).toEqual([]);
});

test("keys and organizations are named by their own stores alone", async () => {
  for (const { exportedAs, store } of Object.values(exceptions)) {
    const users: string[] = [];
    for (const path of new Bun.Glob("src/**/*.ts").scanSync(root)) {
      const source = await Bun.file(join(root, path)).text();
      const imports = [...source.matchAll(/import (?:type )?([^;]*?) from "[^"]*db\/schema\.ts"/g)];
      if (imports.some(([, names]) => new RegExp(`\\b${exportedAs}\\b|\\*`).test(names ?? "")))
        users.push(path);
    }
    expect(users).toEqual([store]);
  }
});

test.each([
  'select "id" from "accounts"',
  'select "id" from "accounts" where "accounts"."id" = cast(?id as integer)',
  'select "id" from "accounts" where "accounts"."organization_id" = cast(?id as integer)',
  'select "id" from "accounts" where ("accounts"."organization_id" = cast(?organizationId as integer) or 1)',
  'select "id" from "accounts" where (("accounts"."organization_id" = cast(?organizationId as integer)) or 1)',
  'select "id" from "accounts" "a" where "a"."organization_id" = cast(?organizationId as integer)',
  'select "id" from "accounts" order by "accounts"."organization_id" = cast(?organizationId as integer)',
  'select "id" from "accounts" inner join "contacts" on ("contacts"."account_id" = "accounts"."id") where "accounts"."organization_id" = cast(?organizationId as integer)',
  'select "id" from "accounts", "contacts" where "contacts"."organization_id" = cast(?organizationId as integer)',
  'select (select count(*) from "contacts" where "contacts"."account_id" = "accounts"."id") from "accounts" where "accounts"."organization_id" = cast(?organizationId as integer)',
  'select "id" from "accounts" where ("accounts"."organization_id" = cast(?organizationId as integer) and "accounts"."id" in (select "accounts"."id" from "accounts" where "accounts"."status" = cast(?status as text)))',
  'select "id" from "organizations" where exists (select 1 from meetings)',
  'update "accounts" set "name" = ?name where "accounts"."id" = cast(?id as integer) returning "id"',
  'update "accounts" set "organization_id" = ?other where "accounts"."organization_id" = cast(?organizationId as integer)',
  'delete from "requests" where "requests"."id" = cast(?id as integer)',
  'insert into "contacts" ("id", "name") values (null, ?name)',
  'insert into "contacts" ("organization_id", "name") values (?id, ?name)',
  'insert into "contacts" ("organization_id", "name") select 1, "name" from "contacts"',
  'insert into "account_counts" ("organization_id", "status") values (?organizationId, ?status) on conflict ("account_counts"."status") do update set "count" = 1',
])("a statement without the predicate is found: %s", (sql) => {
  expect(breaches(sql)).not.toEqual([]);
});

test("a bare input beside an ORDER BY is found", () => {
  expect(bareBesideOrder('select 1 from "accounts" where "id" = ? order by "id"')).toBe(true);
  expect(bareBesideOrder('select 1 from "accounts" order by "id" limit ?')).toBe(true);
  expect(bareBesideOrder('select 1 from "accounts" where "id" = cast(? as integer) order by "id"')).toBe(
    false,
  );
});

test("no statement has a bare input beside an ORDER BY", () => {
  expect(plain.filter(bareBesideOrder)).toEqual([]);
});

test("every list without a search reads an index of the organization, in its order", () => {
  const plans = lists.filter((sql) => !sql.includes("instr(")).map((sql) => ({ sql, plan: planOf(sql) }));
  expect(new Set(plans.map(({ sql }) => sql)).size).toBe(32);
  for (const { sql, plan } of plans) {
    expect({ sql, plan: plan.join("; ") }).toEqual({
      sql,
      plan: expect.stringMatching(/^SEARCH accounts USING INDEX \w+ \(organization_id=\?[^;]*\)$/),
    });
  }
});

test("every search reads the index of names alone for its matches", () => {
  for (const sql of lists.filter((one) => one.includes("instr(") && !one.includes('"external_id" = '))) {
    const plan = planOf(sql).join("; ");
    expect(plan).toMatch(/accounts_name \(organization_id=\?/);
    expect(plan).not.toContain("SCAN");
  }
});

test("an account's lists are read from their indexes alone, in their order", () => {
  const sql = plain.find((one) => one.includes("json_group_array")) ?? "";
  const plan = planOf(sql);
  for (const table of ["contacts", "meetings", "requests"])
    expect(plan.join("\n")).toMatch(
      new RegExp(`^SEARCH ${table} USING COVERING INDEX .*organization_id=\\?`, "m"),
    );
  expect(plan.filter((line) => line.includes("TEMP B-TREE"))).toEqual([]);
});
