import { type SQL, sql } from "drizzle-orm";

export type Dialect = "sqlite" | "postgres";

let currentDialect: Dialect = "sqlite";

/** SQL that the engines write differently. The form is chosen when a statement is rendered. */
export function either<T>(forms: Record<Dialect, SQL<T>>): SQL<T> {
  return sql<T>`${{ getSQL: () => forms[currentDialect], shouldOmitSQLParens: () => true }}`;
}

/** Runs `render`, which renders statements, in a dialect. */
export function inDialect<T>(dialect: Dialect, render: () => T): T {
  const before = currentDialect;
  currentDialect = dialect;
  try {
    return render();
  } finally {
    currentDialect = before;
  }
}
