import type { Values } from "../../engine.ts";
import type { Statement } from "../../statements.ts";
import type { Session } from "../connections/session.ts";
import { type RowsQuery, statementOf } from "../prepared.ts";

/** The most rows of one statement. */
export const maxRows = 1_000;

/**
 * Inserts rows by few statements, which are sent without waiting. Resolves with whether each row was inserted. If the
 * insert ignores conflicts, the others conflict with a stored row or with an earlier one of these.
 */
export async function insertAll(
  session: Session,
  statement: Statement<unknown>,
  rows: readonly Values[],
): Promise<boolean[]> {
  const query = statementOf(statement).forRows();
  const returned = await sendRows(session, query, rows);
  const { ignoredKey = [] } = statement.insertPlan ?? {};
  if (ignoredKey.length === 0 || returned.length === rows.length) return rows.map(() => true);
  const inserted = new Set(returned.map((key) => JSON.stringify(key.map(String))));
  return rows.map((values) => {
    const key = ignoredKey.map((name) => values[name]);
    if (key.includes(undefined)) throw new Error(`an input of the key has no value: ${query.sql}`);
    // A key with a null conflicts with none.
    return key.includes(null) || inserted.delete(JSON.stringify(key.map(String)));
  });
}

/** Inserts or updates rows by few statements, which are sent without waiting. Resolves with the returned rows. */
export async function sendRows(
  session: Session,
  query: RowsQuery,
  rows: readonly Values[],
): Promise<unknown[][]> {
  const sent: Promise<unknown[][]>[] = [];
  for (let from = 0; from < rows.length; from += maxRows)
    sent.push(session.query(...query.queryOf(rows.slice(from, from + maxRows))));
  return (await Promise.all(sent)).flat();
}
