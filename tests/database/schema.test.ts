import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { temporaryFile } from "../support/world.ts";
import { clock } from "./files.ts";
import { enumerations, migratedChecks, permittedValues } from "./schema-checks.ts";
import { schemaStatements } from "./schema-ddl.ts";
import { differencesOf, type Shape, shapeOf } from "./schema-shape.ts";

/** A database that these statements create. */
function shapeOfStatements(statements: readonly string[]): Shape {
  const client = new Database(":memory:");
  try {
    for (const statement of statements) client.run(statement);
    return shapeOf(client);
  } finally {
    client.close();
  }
}

const checks = await migratedChecks();
// `tests/postgres/schema.test.ts` compares the CHECKs of both engines.
const described = shapeOfStatements(schemaStatements(checks));

test("db/schema.ts describes the database that the migrations create, completely", async () => {
  const file = temporaryFile("accountd.db");
  await openDatabase(file, { clock, canCreate: true }).close();
  const client = new Database(file, { readonly: true });
  const migrated = shapeOf(client);
  client.close();
  expect(differencesOf(described, migrated)).toEqual([]);
  // 33 tables, and one entry for views and triggers.
  expect(Object.keys(migrated)).toHaveLength(34);
});

test("a CHECK permits the values of each enumeration of db/schema.ts, and no others", () => {
  const permitted = Object.entries(checks).flatMap(([table, of]) =>
    of.flatMap((check) => {
      const found = permittedValues(check);
      return found ? [[`${table}.${found.column}`, found.values] as const] : [];
    }),
  );
  const enumerated = enumerations();
  expect(permitted.length).toBeGreaterThan(7);
  for (const [column, values] of permitted)
    expect({ column, values }).toEqual({ column, values: [...(enumerated.get(column) ?? [])] });
  const unchecked = [...enumerated.keys()].filter((name) => !permitted.some(([column]) => column === name));
  expect(unchecked).toEqual([
    "attribute_names.resource",
    "attribute_values.resource",
    "attribute_types.resource",
  ]);
});

/** The statements with one text replaced. Throws unless the text occurs exactly once. */
function withReplaced(from: string, to: string): string[] {
  const statements = schemaStatements(checks);
  const places = statements.join("\n").split(from).length - 1;
  if (places !== 1) throw new Error(`${places} places have: ${from}`);
  return statements.map((statement) => statement.replace(from, to)).filter((statement) => statement !== "");
}

test.each([
  ["a missing column", "column", `  "logo_url" TEXT,\n`, ""],
  [
    "STRICT",
    "options",
    `CHECK (USER_ID <> '')\n) STRICT, WITHOUT ROWID`,
    `CHECK (USER_ID <> '')\n) WITHOUT ROWID`,
  ],
  [
    "the columns of a unique constraint",
    "index u",
    `UNIQUE ("organization_id", "account_id", "folded_email")`,
    `UNIQUE ("account_id", "organization_id", "folded_email")`,
  ],
  [
    "a descending column of an index",
    "index accounts_rank",
    `"rank", "id", "tier", "mrr")`,
    `"rank" DESC, "id", "tier", "mrr")`,
  ],
  [
    "another condition of a partial index",
    "index contacts_email",
    `WHERE "folded_email" IS NOT NULL`,
    `WHERE "folded_email" IS NULL`,
  ],
  [
    "the text of a condition",
    "index accounts_status_updated_at",
    `"updated_at", "id") WHERE "status" <> 'active'`,
    `"updated_at", "id") WHERE "status" <> 'Active'`,
  ],
  [
    "the columns of a foreign key",
    "foreign key",
    `"source"),\n  FOREIGN KEY ("organization_id", "account_id") REFERENCES "accounts" ("organization_id", "id")`,
    `"source"),\n  FOREIGN KEY ("account_id", "organization_id") REFERENCES "accounts" ("organization_id", "id")`,
  ],
  ["another check", "check", `CHECK (COVERAGE BETWEEN 0 AND 1)`, `CHECK (COVERAGE BETWEEN 0 AND 2)`],
])("the comparison reports %s", (_, kind, from, to) => {
  const changed = shapeOfStatements(withReplaced(from, to));
  for (const differences of [differencesOf(described, changed), differencesOf(changed, described)])
    expect(differences.filter((line) => line.includes(`: ${kind}`))).not.toEqual([]);
});

test.each([
  ["an added table", "CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT"],
  ["an added column", "ALTER TABLE accounts ADD COLUMN more TEXT"],
  ["an added index", "CREATE INDEX more ON accounts (logo_url)"],
  ["a missing table", "DROP TABLE changes"],
  ["a trigger", "CREATE TRIGGER more AFTER INSERT ON accounts BEGIN SELECT 1; END"],
  ["a view", "CREATE VIEW more AS SELECT 1"],
])("the comparison reports %s", (_, statement) => {
  const changed = shapeOfStatements([...schemaStatements(checks), statement]);
  expect(differencesOf(described, changed)).not.toEqual([]);
  expect(differencesOf(changed, described)).not.toEqual([]);
});

test("the comparison does not depend on names of constraints, quotes, case or white space", () => {
  const spelled = schemaStatements(checks).map((statement) =>
    statement
      .replaceAll("CHECK (", "CONSTRAINT some CHECK (\n  ")
      .replaceAll(/"(\w+)"/g, "$1")
      .replaceAll(" WHERE ", "\n  where\t")
      .replaceAll(" IS NOT NULL", " is not null"),
  );
  expect(differencesOf(described, shapeOfStatements(spelled))).toEqual([]);
});
