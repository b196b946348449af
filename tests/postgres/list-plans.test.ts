import { expect, test } from "bun:test";
import type { SQL } from "bun";
import "../../src/app.ts";
import { statementOf } from "../../db/postgres/prepared.ts";
import { statementNamed } from "../../db/statements.ts";
import { connection, migratedDatabase } from "./database.ts";

/** The lines of the plan of a prepared statement that name an index or its condition. */
async function indexesOf(sql: SQL, name: string): Promise<string> {
  const rows = await sql.unsafe(`explain (generic_plan) ${statementOf(statementNamed(name)).sql}`);
  const lines: string[] = rows.map((row: Record<string, string>) => row["QUERY PLAN"]?.trim() ?? "");
  return lines.filter((line) => /Scan|Index Cond/.test(line) && !line.includes("json_array")).join("\n");
}

/** A database whose tables have no statistics. */
async function databaseWithoutStatistics() {
  const sql = connection(await migratedDatabase());
  for (const table of ["accounts", "meetings"])
    await sql.unsafe(`alter table ${table} set (autovacuum_enabled = false)`);
  const fill = async () => {
    await sql.unsafe(
      "insert into accounts (organization_id, name, folded_name, external_id, mrr, status, created_at, updated_at) select 1, 'a' || i, 'a' || i, 'e' || i, i % 1000, 'active', i, i from generate_series(1, 20000) as i",
    );
    await sql.unsafe(
      "insert into meetings (organization_id, account_id, title, folded_title, start_at, end_at, created_at, updated_at) select 1, id, 't', 't', n, n, n, n from accounts, generate_series(1, 3) as n where organization_id = 1",
    );
  };
  return { sql, fill };
}

test("a cursor with externalId[in] reads by the index of the external ids", async () => {
  const { sql, fill } = await databaseWithoutStatistics();
  await fill();
  for (const statement of ["page", "within", "beyond"])
    for (const order of ["name/asc", "mrr/desc"]) {
      const plan = await indexesOf(sql, `accounts.list/${statement}/${order}/list:externalId+fields`);
      expect(plan).toMatch(
        /^-> {2}Index Scan using accounts_organization_id_external_id_key on accounts .*\n.*external_id = ANY.*$/,
      );
    }
});

test("filters without an index of their own do not replace the index of the order", async () => {
  const { sql, fill } = await databaseWithoutStatistics();
  await fill();
  for (const [order, index] of [
    ["name/asc", "accounts_name"],
    ["mrr/desc", "accounts_mrr"],
  ]) {
    const plan = await indexesOf(sql, `accounts.list/page/${order}/fields`);
    expect(plan).toMatch(
      new RegExp(
        `^->  Index Scan (Backward )?using ${index} on accounts .*\nIndex Cond: \\(organization_id = \\$\\d+\\)$`,
      ),
    );
  }
});

test.each([true, false])("included meetings are read by their account; filled: %p", async (isFilled) => {
  const { sql, fill } = await databaseWithoutStatistics();
  if (isFilled) await fill();
  const plan = await indexesOf(sql, "accounts.included.meetings");
  const meetings = plan.split("\n").slice(plan.split("\n").findIndex((line) => line.includes("on meetings")));
  expect(meetings[0]).toContain("meetings_account on meetings");
  expect(meetings[1]).toContain("account_id = accounts.id");
});
