import { isDeepStrictEqual } from "node:util";
import { withReadableDatabase } from "../file.ts";
import { hasTable } from "../migrate.ts";

/** What a database has, to compare a backup with what the operator expects. */
export type DatabaseContents = {
  organizations: number;
  accounts: number;
  keys: number;
  changes: number;
  /** Milliseconds since 1970 UTC; null without changes. */
  newestChangeAt: number | null;
};

/** The last change of each organization is read by the key. */
const newestChange = `SELECT max((SELECT changed_at FROM changes WHERE organization_id = organizations.id
  ORDER BY sequence DESC LIMIT 1)) AS n FROM organizations`;

/** Counts the rows of a file of any version. Throws UnusableDatabase. */
export function contentsOf(file: string): DatabaseContents {
  return withReadableDatabase(file, ({ client }) => {
    const number = (sql: string) => client.query<{ n: number | null }, []>(sql).get()?.n ?? null;
    const count = (table: string) => number(`SELECT count(*) AS n FROM ${table}`) ?? 0;
    const hasChanges = hasTable(client, "changes");
    return {
      organizations: count("organizations"),
      accounts: count("accounts"),
      keys: count("api_keys"),
      changes: hasChanges ? count("changes") : 0,
      newestChangeAt: hasChanges ? number(newestChange) : null,
    };
  });
}

/** Whether two files are of one database: whether they were created at the same time. True if one cannot be read. */
export function isSameDatabase(file: string, other: string): boolean {
  const createdAt = (path: string) =>
    withReadableDatabase(path, ({ client }) =>
      client.query("SELECT applied_at FROM schema_migrations WHERE version = 1").values(),
    );
  try {
    return isDeepStrictEqual(createdAt(file), createdAt(other));
  } catch {
    return true;
  }
}
