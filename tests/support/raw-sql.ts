import { Database, type SQLQueryBindings } from "bun:sqlite";
import type { SQL } from "bun";

/** An error that a test provokes when a row that matches the condition is written. */
type ProvokedFailure = {
  table: string;
  on: "INSERT" | "UPDATE";
  /** A condition on `NEW`. */
  when: string;
  message: string;
  /** SQLite only: the error ends the whole transaction, as every error does in PostgreSQL. */
  endsTransaction?: boolean;
};

/** Runs SQL on the database of a test, outside of the service. Integers are numbers. */
export type RawSql = {
  /** Rows of a query with `?` for each value. */
  rows<Row>(sql: string, ...values: (string | number | null)[]): Promise<Row[]>;
  execute(sql: string): Promise<void>;
  /** Makes writes fail. Resolves with a function that ends this. */
  failOn(failure: ProvokedFailure): Promise<() => Promise<void>>;
};

export function rawSqlOfFile(file: string): RawSql {
  async function execute(sql: string): Promise<void> {
    using database = new Database(file, { readwrite: true });
    database.run(sql);
  }
  return {
    execute,
    async rows<Row>(sql: string, ...values: (string | number | null)[]): Promise<Row[]> {
      using database = new Database(file, { readonly: true });
      using statement = database.prepare<Row, SQLQueryBindings[]>(sql);
      return statement.all(...values);
    },
    async failOn({ table, on, when, message, endsTransaction = false }) {
      const raise = `RAISE(${endsTransaction ? "ROLLBACK" : "ABORT"}, '${message}')`;
      await execute(
        `CREATE TRIGGER failing BEFORE ${on} ON ${table} WHEN ${when} BEGIN SELECT ${raise}; END`,
      );
      return () => execute("DROP TRIGGER failing");
    },
  };
}

/** Ends a provoked failure in PostgreSQL, if there is one. */
export const dropFailure = "DROP FUNCTION IF EXISTS fail CASCADE";

/** `sql` returns 64-bit integers as BigInt. */
export function rawSqlOfPostgres(sql: SQL): RawSql {
  async function execute(text: string): Promise<void> {
    await sql.unsafe(text).simple();
  }
  return {
    execute,
    async rows<Row>(text: string, ...values: (string | number | null)[]): Promise<Row[]> {
      let count = 0;
      const numbered = text.replaceAll("?", () => `$${++count}`);
      // The driver would derive the type of a number from its value.
      const bound = values.map((value) => (value === null ? null : String(value)));
      const rows: Record<string, unknown>[] = await sql.unsafe(numbered, bound);
      // Safe: the test names the columns.
      return rows.map(withNumbers) as Row[];
    },
    async failOn({ table, on, when, message }) {
      const raise = `RAISE EXCEPTION '${message}'`;
      await execute(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${raise}; END $$;
        CREATE TRIGGER failing BEFORE ${on} ON ${table} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION fail()`);
      return () => execute(dropFailure);
    },
  };
}

function withNumbers(row: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === "bigint" ? Number(value) : value,
  ]);
  return Object.fromEntries(entries);
}
