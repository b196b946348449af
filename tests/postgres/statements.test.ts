import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { PostgresStatement } from "../../db/postgres/prepared.ts";
import { accounts } from "../../db/schema.ts";
import { select } from "../../db/statements.ts";
import { everyListStatement } from "../database/list-statements.ts";
import { buildEveryStatement, productStatements } from "../database/prepared.ts";
import { connection, migratedDatabase } from "./database.ts";

/** Statements of the SQLite engine alone. */
const isOfSqlite = (name: string) => /^slices\/|^accountIndex\./.test(name);

const asBoolean = select("tests.postgres.boolean", {
  fields: { isNamed: sql<number>`${accounts.name} <> ''` },
  from: accounts,
});

type Types = { name: string; parameters: string[]; results: string[] };

/** 5,000 meetings of 1,000 accounts, without these accounts. */
const manyMeetings = `
  set session_replication_role = replica;
  insert into meetings (organization_id, account_id, title, folded_title, start_at, end_at, created_at, updated_at)
    select 900, i % 1000, 'M', 'm', i, i, 0, 0 from generate_series(1, 5000) as i;
  analyze meetings;
`;

/** Prepares statements; returns their types, or the errors. */
async function prepareOn(url: string, statements: readonly { name: string; sql: string }[]) {
  const client = connection(url);
  const errors: string[] = [];
  for (const [i, statement] of statements.entries())
    try {
      await client.unsafe(`prepare s${i} as ${statement.sql}`).simple();
    } catch (error) {
      errors.push(`${statement.name}: ${error}`);
    }
  const rows: Types[] = await client`select name, parameter_types::text[] as parameters,
    coalesce(result_types::text[], '{}') as results from pg_prepared_statements where name like 's%'`;
  const named = rows.flatMap((row) => {
    const name = statements[Number(row.name.slice(1))]?.name;
    return name === undefined ? [] : [{ ...row, name }];
  });
  return { errors, types: named };
}

/** The types of inputs: an integer would have no room for milliseconds. */
const inputTypes = new Set(["bigint", "double precision", "text"]);
/** The types of columns that the engine converts: not boolean or numeric, for example. */
const columnTypes = new Set([...inputTypes, "integer"]);
function otherTypes(types: readonly Types[]): string[] {
  return types.flatMap(({ name, parameters, results }) => [
    ...parameters.filter((type) => !inputTypes.has(type)).map((type) => `${name}: input of ${type}`),
    ...results.filter((type) => !columnTypes.has(type)).map((type) => `${name}: column of ${type}`),
  ]);
}

test("PostgreSQL accepts every statement of the service, with types that the engine converts", async () => {
  await buildEveryStatement();
  const fixed = productStatements().flatMap((statement) =>
    isOfSqlite(statement.name) ? [] : [{ name: statement.name, statement }],
  );
  const statements = [...fixed, ...(await everyListStatement())];
  expect(statements.length).toBeGreaterThan(300);
  const rendered = statements.map(({ name, statement }) => ({
    name,
    sql: new PostgresStatement(statement).sql,
  }));
  const { errors, types } = await prepareOn(await migratedDatabase(), rendered);
  expect(errors).toEqual([]);
  expect(types).toHaveLength(statements.length);
  expect(otherTypes(types)).toEqual([]);
});

test("the check reports a statement that PostgreSQL rejects, and other types", async () => {
  const { errors, types } = await prepareOn(await migratedDatabase(), [
    { name: "rejected", sql: "select instr('a', 'b')" },
    { name: "short", sql: "select cast($1 as integer)" },
    { name: "boolean", sql: new PostgresStatement(asBoolean).sql },
  ]);
  expect(errors).toEqual([expect.stringContaining("instr")]);
  expect(otherTypes(types).toSorted()).toEqual(["boolean: column of boolean", "short: input of integer"]);
});

test("PostgreSQL reads the rows of a list of keys by an index, never all rows of an organization", async () => {
  await buildEveryStatement();
  const lists = productStatements()
    // The reads of due jobs are of a list of organizations; their plans are in due-jobs.test.ts.
    .filter(({ name }) => !isOfSqlite(name) && !name.startsWith("jobs."))
    .map((statement) => new PostgresStatement(statement).sql)
    // An organization has one counted row for each status and tier: all of them are read.
    .filter((sql) => sql.includes("json_array_elements_text(") && !sql.includes('from "account_counts"'));
  expect(lists.length).toBeGreaterThan(5);
  const client = connection(await migratedDatabase());
  // Without a scan of a table, an index is chosen also for few rows. Without rows, that of any order costs the same.
  await client`set enable_seqscan = off`.simple();
  await client.unsafe(manyMeetings).simple();
  for (const sql of lists) {
    const rows: { "QUERY PLAN": string }[] = await client.unsafe(`explain (generic_plan) ${sql}`).simple();
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    expect(plan).toMatch(
      /Index Cond: \((?:\(organization_id = \$\d+\)(?: AND \(\w+ = \$\d+\))* AND \(\w+|id) = ANY \(\(InitPlan \d+\)\.col1\)\)/,
    );
    for (const [condition] of plan.matchAll(/Index Cond: .*/g))
      expect(condition).toMatch(
        /\((?:organization_id = .*\b(?:id|account_id|external_id|group_id|key|message_id|name|sequence|user_id)|id) = /,
      );
  }
});
