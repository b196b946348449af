import { expect, test } from "bun:test";
import { join } from "node:path";
import { breaches } from "./predicates.ts";
import { exceptions, ownTables, prepareAll, root } from "./prepared.ts";

const all = await prepareAll();

/** The SQL where a bare input stands in a statement that orders: SQLite would plan it anew at every run. */
function bareBesideOrder(sql: string): boolean {
  return / order by /.test(sql) && sql.replace(/cast\(\? as (integer|real|text)\)/g, "").includes("?");
}

test("there are statements on every table of an organization", () => {
  for (const table of ownTables) expect(all.some(({ sql }) => sql.includes(`"${table}"`))).toBe(true);
});

test("every mention of a table that organizations own has the organization's predicate", () => {
  const found = all.map(({ named }) => ({ named, breaches: breaches(named, ownTables) }));
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
  'insert into "account_counts" ("organization_id", "count") values (?organizationId, 1) on conflict ("account_counts"."organization_id") do update set "count" = 2, "organization_id" = excluded."organization_id"',
  'insert into "contacts" ("organization_id", "name") values (?organizationId, ?name) on conflict ("contacts"."external_id") do nothing',
  'insert into "contacts" ("organization_id", "name") values (?organizationId, ?name) on conflict do nothing',
  'insert into "contacts" ("organization_id", "name") values (?organizationId, ?name), (?id, ?name)',
  'insert or replace into "contacts" ("organization_id", "name") values (?organizationId, ?name)',
  'insert into "contacts" ("organization_id", "name") values (?organizationId, ?name) returning (select count(*) from "contacts")',
  'delete from "requests" returning "account_id"',
  'delete from "requests" where "requests"."id" = cast(?id as integer) returning "organization_id"',
  'delete from "requests" where ("requests"."organization_id" = cast(?organizationId as integer) or "requests"."id" = cast(?id as integer)) returning "id"',
  'select count(*) from "requests" group by "requests"."organization_id" = cast(?organizationId as integer)',
  'select count(*) from "requests" where "requests"."severity" = 5 group by "requests"."status" having "requests"."organization_id" = cast(?organizationId as integer)',
  'select "id" from "requests" where "requests"."organization_id" = cast(?organizationId as integer) union all select "id" from "requests"',
])("a statement without the predicate is found: %s", (sql) => {
  expect(breaches(sql, ownTables)).not.toEqual([]);
});

test.each([
  'select "id" from "requests" where "requests"."organization_id" = cast(?organizationId as integer) order by "requests"."id" limit 1',
  'select "status", count(*) from "requests" where ("requests"."organization_id" = cast(?organizationId as integer) and "requests"."severity" = 5) group by "requests"."status" order by "requests"."status"',
  'update "requests" set "title" = ?title where ("requests"."organization_id" = cast(?organizationId as integer) and "requests"."id" = cast(?id as integer)) returning "id"',
  'delete from "requests" where "requests"."organization_id" = cast(?organizationId as integer)',
  'delete from "requests" where ("requests"."organization_id" = cast(?organizationId as integer) and "requests"."id" = cast(?id as integer)) returning "account_id"',
  'insert into "contacts" ("id", "organization_id", "name") values (null, ?organizationId, ?name) returning "id"',
  'insert into "contacts" ("organization_id", "name") values (?organizationId, ?name) on conflict ("contacts"."organization_id","contacts"."external_id") do nothing',
  'insert into "account_counts" ("organization_id", "status", "count") values (?organizationId, ?status, 1) on conflict ("account_counts"."organization_id","account_counts"."status") do update set "count" = "account_counts"."count" + 1 returning "count"',
])("a statement with the predicate is none: %s", (sql) => {
  expect(breaches(sql, ownTables)).toEqual([]);
});

test("a bare input beside an ORDER BY is found", () => {
  expect(bareBesideOrder('select 1 from "accounts" where "id" = ? order by "id"')).toBe(true);
  expect(bareBesideOrder('select 1 from "accounts" order by "id" limit ?')).toBe(true);
  expect(bareBesideOrder('select 1 from "accounts" where "id" = cast(? as integer) order by "id"')).toBe(
    false,
  );
});

test("no statement has a bare input beside an ORDER BY", () => {
  expect(all.map(({ sql }) => sql).filter(bareBesideOrder)).toEqual([]);
});
