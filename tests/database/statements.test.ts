import { expect, test } from "bun:test";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { inputs } from "../../db/expressions.ts";
import { accountCounts, accounts } from "../../db/schema.ts";
import { insert, update } from "../../db/statements.ts";
import { breaches, scopesOf } from "./predicates.ts";
import { exceptions, ownTables, prepareAll, root, statementNamed } from "./prepared.ts";

const all = await prepareAll();

/** Whether a query with ORDER BY has a bare input: SQLite would plan it again at every run. */
function hasBareInputInOrder(sql: string): boolean {
  return scopesOf(sql.replace(/cast\(\? as (bigint|double precision|text)\)/g, "")).some(
    ({ own, whole }) => own.includes(" order by ") && whole.includes("?"),
  );
}

test("every table with rows of organizations has statements", () => {
  for (const table of ownTables) expect(all.some(({ sql }) => sql.includes(`"${table}"`))).toBe(true);
});

/**
 * The only statements that read rows of several organizations, with the first table that they read. They return which jobs
 * are due for each, whether it has deliveries, and what waits; every subquery reads rows of the organization of the outer row.
 */
const ofAllOrganizations = {
  "jobs.due": "events",
  "jobs.deliveries": "webhooks",
  "jobs.samples": "accounts",
};
const samples = ["staleScores", "pendingEvents", "webhookDeliveries", "oldestDeliveryAt"];

function breachesOf({ name, named }: { name: string; named: string }): string[] {
  const isOfAll = Object.hasOwn(ofAllOrganizations, name);
  const own = isOfAll ? named.replaceAll('"organization_id" = "organizations"."id"', ownedByTenant) : named;
  return breaches(own, ownTables);
}
const ownedByTenant = '"organization_id" = ?organizationId';

test.each(Object.entries(ofAllOrganizations))(
  "%s, of all organizations, returns an id and numbers, and has the predicate in every subquery",
  (statement, table) => {
    const { named = "" } = all.find(({ name }) => name === statement) ?? {};
    expect(statementNamed(statement).columns).toEqual(
      statement === "jobs.samples" ? ["id", ...samples] : ["id", "due"],
    );
    expect(breaches(named, ownTables)).not.toEqual([]);
    expect(breachesOf({ name: statement, named })).toEqual([]);
    const without = named.replace(`"${table}"."organization_id" = "organizations"."id"`, "1");
    expect(breachesOf({ name: statement, named: without })).toHaveLength(1);
  },
);

test("every use of a table with rows of organizations has the predicate of the organization", () => {
  const found = all.map((statement) => ({ ...statement, breaches: breachesOf(statement) }));
  expect(found.filter((statement) => statement.breaches.length > 0)).toEqual([]);
});

test("the deletion of an organization deletes its rows in every table, and no other rows", () => {
  for (const table of [...ownTables, "api_keys"]) {
    const { named = "" } = all.find(({ name }) => name === `organizations.delete.${table}`) ?? {};
    expect([table, named]).toEqual([table, expect.stringContaining(`delete from "${table}" where `)]);
    expect(breaches(named, [table])).toEqual([]);
  }
  const keys = all.filter(({ name, sql }) => name.startsWith("organizations.") && sql.includes('"api_keys"'));
  expect(keys.map(({ named }) => breaches(named, ["api_keys"]))).toEqual([[], [], []]);
});

test("every statement of the keys API has the predicate of the organization", () => {
  const own = all.filter(({ name }) => /^(?:organizationKeys\.|keys )/.test(name));
  expect(own.length).toBeGreaterThan(5);
  expect(own.filter(({ named }) => breaches(named, ["api_keys"]).length > 0)).toEqual([]);
});

test("only the stores of keys and organizations use their tables", async () => {
  for (const { exportedAs, stores } of Object.values(exceptions)) {
    const users: string[] = [];
    for (const path of new Bun.Glob("src/**/*.ts").scanSync(root)) {
      const source = await Bun.file(join(root, path)).text();
      const imports = [...source.matchAll(/import (?:type )?([^;]*?) from "[^"]*db\/schema\.ts"/g)];
      if (imports.some(([, names]) => new RegExp(`\\b${exportedAs}\\b|\\*`).test(names ?? "")))
        users.push(path);
    }
    expect(users.toSorted()).toEqual(stores);
  }
});

test.each([
  'select "id" from "accounts"',
  'select "id" from "organizations" where (select 1 from "accounts" where "accounts"."organization_id" = "organizations"."id" limit 1) is not null',
  'select "id" from "accounts" where "accounts"."id" = cast(?id as bigint)',
  'select "id" from "accounts" where "accounts"."organization_id" = cast(?id as bigint)',
  'select "id" from "accounts" where ("accounts"."organization_id" = cast(?organizationId as bigint) or 1)',
  'select "id" from "accounts" where (("accounts"."organization_id" = cast(?organizationId as bigint)) or 1)',
  'select "id" from "accounts" "a" where "a"."organization_id" = cast(?organizationId as bigint)',
  'select "id" from "accounts" order by "accounts"."organization_id" = cast(?organizationId as bigint)',
  'select "id" from "accounts" inner join "contacts" on ("contacts"."account_id" = "accounts"."id") where "accounts"."organization_id" = cast(?organizationId as bigint)',
  'select "id" from "accounts", "contacts" where "contacts"."organization_id" = cast(?organizationId as bigint)',
  'select (select count(*) from "contacts" where "contacts"."account_id" = "accounts"."id") from "accounts" where "accounts"."organization_id" = cast(?organizationId as bigint)',
  'select "id" from "accounts" where ("accounts"."organization_id" = cast(?organizationId as bigint) and "accounts"."id" in (select "accounts"."id" from "accounts" where "accounts"."status" = cast(?status as text)))',
  'select "id" from "organizations" where exists (select 1 from meetings)',
  'update "accounts" set "name" = ?name where "accounts"."id" = cast(?id as bigint) returning "id"',
  'update "accounts" set "organization_id" = ?other where "accounts"."organization_id" = cast(?organizationId as bigint)',
  'delete from "requests" where "requests"."id" = cast(?id as bigint)',
  'insert into "contacts" ("id", "name") values (null, ?name)',
  'insert into "contacts" ("organization_id", "name") values (?id, ?name)',
  'insert into "contacts" ("organization_id", "name") select 1, "name" from "contacts"',
  'insert into "contacts" ("organization_id", "name") select "id", "name" from "contacts" where "contacts"."organization_id" = cast(?organizationId as bigint)',
  'insert into "contacts" ("name", "organization_id") select "organization_id", "name" from "contacts" where "contacts"."organization_id" = cast(?organizationId as bigint)',
  'insert into "contacts" ("organization_id", "name") select "organization_id", "name" from "contacts" where "contacts"."id" = cast(?id as bigint)',
  'insert into "account_counts" ("organization_id", "status") values (?organizationId, ?status) on conflict ("account_counts"."status") do update set "count" = 1',
  'insert into "account_counts" ("organization_id", "count") values (?organizationId, 1) on conflict ("account_counts"."organization_id") do update set "count" = 2, "organization_id" = excluded."organization_id"',
  'insert into "contacts" ("organization_id", "name") values (?organizationId, ?name) on conflict ("contacts"."external_id") do nothing',
  'insert into "contacts" ("organization_id", "name") values (?organizationId, ?name) on conflict do nothing',
  'insert into "contacts" ("organization_id", "name") values (?organizationId, ?name), (?id, ?name)',
  'insert or replace into "contacts" ("organization_id", "name") values (?organizationId, ?name)',
  'insert into "contacts" ("organization_id", "name") values (?organizationId, ?name) returning (select count(*) from "contacts")',
  'delete from "requests" returning "account_id"',
  'delete from "requests" where "requests"."id" = cast(?id as bigint) returning "organization_id"',
  'delete from "requests" where ("requests"."organization_id" = cast(?organizationId as bigint) or "requests"."id" = cast(?id as bigint)) returning "id"',
  'select count(*) from "requests" group by "requests"."organization_id" = cast(?organizationId as bigint)',
  'select count(*) from "requests" where "requests"."severity" = 5 group by "requests"."status" having "requests"."organization_id" = cast(?organizationId as bigint)',
  'select "id" from "requests" where "requests"."organization_id" = cast(?organizationId as bigint) union all select "id" from "requests"',
])("a statement without the predicate is reported: %s", (sql) => {
  expect(breaches(sql, ownTables)).not.toEqual([]);
});

test.each([
  'select "id" from "requests" where "requests"."organization_id" = cast(?organizationId as bigint) order by "requests"."id" limit 1',
  'select "status", count(*) from "requests" where ("requests"."organization_id" = cast(?organizationId as bigint) and "requests"."severity" = 5) group by "requests"."status" order by "requests"."status"',
  'update "requests" set "title" = ?title where ("requests"."organization_id" = cast(?organizationId as bigint) and "requests"."id" = cast(?id as bigint)) returning "id"',
  'delete from "requests" where "requests"."organization_id" = cast(?organizationId as bigint)',
  'delete from "requests" where ("requests"."organization_id" = cast(?organizationId as bigint) and "requests"."id" = cast(?id as bigint)) returning "account_id"',
  'insert into "contacts" ("id", "organization_id", "name") values (null, ?organizationId, ?name) returning "id"',
  'insert into "contacts" ("organization_id", "name") values (?organizationId, ?name) on conflict ("contacts"."organization_id","contacts"."external_id") do nothing',
  'insert into "account_changes" ("organization_id", "account_id") select "organization_id", "account_id" from "changes" where "changes"."organization_id" = cast(?organizationId as bigint) order by "changes"."account_id"',
  'insert into "account_counts" ("organization_id", "status", "count") values (?organizationId, ?status, 1) on conflict ("account_counts"."organization_id","account_counts"."status") do update set "count" = "account_counts"."count" + 1 returning "count"',
])("a statement with the predicate is not reported: %s", (sql) => {
  expect(breaches(sql, ownTables)).toEqual([]);
});

test.each([
  'select 1 from "accounts" where "id" = ? order by "id"',
  'select 1 from "accounts" where ("id" = ? and "name" = cast(? as text)) order by "id"',
  'select 1 from "accounts" order by "id" limit ?',
  'select (select 1 from "accounts" where "id" = ? order by "id" limit 1) from "contacts"',
  'insert into "changes" ("sequence", "before") values ((select 1 from "changes" where "id" = ? order by 1), ?)',
])("a bare input in a query with ORDER BY is reported: %s", (sql) => {
  expect(hasBareInputInOrder(sql)).toBe(true);
});

test.each([
  'select 1 from "accounts" where "id" = cast(? as bigint) order by "id"',
  'select 1 from "accounts" where "id" = ?',
  'insert into "changes" ("sequence", "before") values ((select 1 from "changes" order by 1), ?)',
])("other bare inputs are not reported: %s", (sql) => {
  expect(hasBareInputInOrder(sql)).toBe(false);
});

test("no query with ORDER BY has a bare input", () => {
  expect(all.map(({ sql }) => sql).filter(hasBareInputInOrder)).toEqual([]);
});

test("a name that is no column of the table is rejected when the statement is built", () => {
  // Safe: types do not check names that are made at run time, which is tested here.
  const nonsense = { nonsense: sql`1` } as never;
  const where = sql`1`;
  expect(() => insert("tests.statements.a", { into: accounts, values: nonsense })).toThrow(
    "accounts has no column nonsense",
  );
  expect(() => update("tests.statements.b", { table: accounts, set: nonsense, where })).toThrow(
    "accounts has no column nonsense",
  );
  const values = inputs(accountCounts, "organizationId", "status", "tier", "count");
  const onConflict = { target: [accountCounts.organizationId, accountCounts.status], set: nonsense };
  expect(() => insert("tests.statements.c", { into: accountCounts, values, onConflict })).toThrow(
    "account_counts has no column nonsense",
  );
});
