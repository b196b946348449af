import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { PostgresStatement } from "../../db/postgres/prepared.ts";
import { accounts } from "../../db/schema.ts";
import { select } from "../../db/statements.ts";
import { buildEveryStatement, productStatements } from "../prepared.ts";
import { connection, migratedDatabase } from "./database.ts";

/** Statements of the SQLite engine alone. */
const isOfSqlite = (name: string) => /^slices\/|^accountIndex\./.test(name);

const asBoolean = select("tests.postgres.boolean", {
  fields: { isNamed: sql<number>`${accounts.name} <> ''` },
  from: accounts,
});

type Types = { name: string; parameters: string[]; results: string[] };

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
  const statements = productStatements().filter(({ name }) => !isOfSqlite(name));
  expect(statements.length).toBeGreaterThan(300);
  const rendered = statements.map((statement) => ({
    name: statement.name,
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
