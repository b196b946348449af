import type { Values } from "../../engine.ts";
import type { Statement } from "../../statements.ts";
import type { Session } from "../connections/session.ts";
import { statementOf } from "../prepared.ts";

/** Each number of rows is a statement that the server prepares. */
const rowCounts = [64, 16, 4, 1];
/** The most rows of one statement. */
export const maxRows = Math.max(...rowCounts);

type BoundRow = (string | null)[];

/**
 * Inserts rows by few statements, which are sent without waiting. Resolves with whether each row was inserted. If the
 * insert ignores conflicts, the others conflict with a stored row or with an earlier one of these.
 */
export async function insertAll(
  session: Session,
  statement: Statement<unknown>,
  rows: readonly Values[],
): Promise<boolean[]> {
  const prepared = statementOf(statement);
  const bound = rows.map((values) => prepared.bindRow(values));
  const returned = await sendRows(session, statement, bound, { hasIds: false });
  const { ignoredKey = [] } = statement.insertPlan ?? {};
  if (ignoredKey.length === 0) return rows.map(() => true);
  const inserted = new Set(returned.map((key) => JSON.stringify(key.map(String))));
  return rows.map((values) => {
    const key = ignoredKey.map((name) => values[name]);
    if (key.includes(undefined)) throw new Error(`an input of the key has no value: ${prepared.sql}`);
    // A key with a null conflicts with none.
    return key.includes(null) || inserted.delete(JSON.stringify(key.map(String)));
  });
}

/** Inserts rows of `bindRow` by few statements, which are sent without waiting. Resolves with the returned rows. */
export async function sendRows(
  session: Session,
  statement: Statement<unknown>,
  rows: readonly BoundRow[],
  { hasIds }: { hasIds: boolean },
): Promise<unknown[][]> {
  const prepared = statementOf(statement);
  const sent = chunksOf(rows).map((chunk) =>
    session.query(prepared.sqlOfRows(chunk.length, hasIds), chunk.flat()),
  );
  return (await Promise.all(sent)).flat();
}

function chunksOf<T>(rows: readonly T[]): T[][] {
  const chunks: T[][] = [];
  for (let from = 0; from < rows.length; ) {
    const count = rowCounts.find((size) => size <= rows.length - from) ?? 1;
    chunks.push(rows.slice(from, from + count));
    from += count;
  }
  return chunks;
}
