import { expect, test } from "bun:test";
import type { SQL } from "bun";
import "../../src/app.ts";
import { statementOf } from "../../db/postgres/prepared.ts";
import type { Statement } from "../../db/statements.ts";
import { type Query, statementsOf } from "../database/list-statements.ts";
import { statementNamed } from "../database/prepared.ts";
import { connection, migratedDatabase } from "./database.ts";

/** The lines of the plan of a statement that name an index or its condition. */
async function indexesOf(sql: SQL, statement: Statement<unknown>): Promise<string> {
  const rows = await sql.unsafe(`explain (generic_plan) ${statementOf(statement).sql}`);
  const lines: string[] = rows.map((row: Record<string, string>) => row["QUERY PLAN"]?.trim() ?? "");
  return lines.filter((line) => /Scan|Index Cond/.test(line) && !line.includes("json_array")).join("\n");
}

async function pagesOf(query: Query, part: RegExp): Promise<Statement<unknown>[]> {
  const found = (await statementsOf("accounts", query)).filter(({ name }) => part.test(name));
  expect(found.length).toBeGreaterThan(0);
  return found.map(({ statement }) => statement);
}

/** A database whose tables have no statistics. */
async function databaseWithoutStatistics() {
  const sql = connection(await migratedDatabase());
  for (const table of ["accounts", "meetings"])
    await sql.unsafe(`alter table ${table} set (autovacuum_enabled = false)`);
  const fillAccounts = () =>
    sql.unsafe(
      "insert into accounts (organization_id, name, folded_name, external_id, mrr, status, created_at, updated_at) select 1, 'a' || i, 'a' || i, 'e' || i, i % 1000, 'active', i, i from generate_series(1, 20000) as i",
    );
  const fillMeetings = () =>
    sql.unsafe(
      "insert into meetings (organization_id, account_id, title, folded_title, start_at, end_at, created_at, updated_at) select 1, id, 't', 't', n, n, n, n from accounts, generate_series(1, 3) as n where organization_id = 1",
    );
  return { sql, fillAccounts, fillMeetings };
}

test("a cursor with externalId.in reads by the index of the external ids", async () => {
  const { sql, fillAccounts } = await databaseWithoutStatistics();
  await fillAccounts();
  for (const sortBy of ["name", "mrr"])
    for (const statement of await pagesOf({ sortBy, "externalId.in": "a,b", "mrr.gt": 1 }, /rows$/))
      expect(await indexesOf(sql, statement)).toMatch(
        /Index Scan using accounts_organization_id_external_id_key on accounts .*\n.*external_id = ANY.*$/m,
      );
});

test("filters of which many rows match do not replace the index of the order", async () => {
  const { sql, fillAccounts } = await databaseWithoutStatistics();
  await fillAccounts();
  for (const [sortBy, index] of [
    ["name", "accounts_name"],
    ["mrr", "accounts_mrr"],
  ] as const)
    for (const statement of await pagesOf({ sortBy, tier: "healthy,critical" }, /page many rows$/))
      expect(await indexesOf(sql, statement)).toMatch(
        new RegExp(
          `-> {2}Index (?:Only )?Scan (?:Backward )?using ${index} on accounts .*\nIndex Cond: \\(organization_id = \\$\\d+\\)`,
        ),
      );
});

test("a search in the order of names reads their index alone", async () => {
  const { sql, fillAccounts } = await databaseWithoutStatistics();
  await fillAccounts();
  for (const statement of await pagesOf({ sortBy: "name", search: "a" }, /page \w+ (?:rows|count)$/))
    expect(await indexesOf(sql, statement)).toMatch(
      /Index Only Scan (?:Backward )?using accounts_name on accounts/,
    );
});

test.each([true, false])("included meetings are read by their account; filled: %p", async (isFilled) => {
  const { sql, fillAccounts, fillMeetings } = await databaseWithoutStatistics();
  if (isFilled) {
    await fillAccounts();
    await fillMeetings();
  }
  const plan = await indexesOf(sql, statementNamed("accounts.included.meetings"));
  const meetings = plan.split("\n").slice(plan.split("\n").findIndex((line) => line.includes("on meetings")));
  expect(meetings[0]).toContain("meetings_account on meetings");
  expect(meetings[1]).toContain("account_id = accounts.id");
});
