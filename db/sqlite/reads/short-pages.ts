import type { Values } from "../../engine.ts";
import type { Statement } from "../../statements.ts";
import type { Connection } from "../connection.ts";

/**
 * Reads a page that needs only the first `maxRows` entries of its range of an index, whether they match the other filters
 * or not. Returns undefined if it needs more, or is not in the order of the index.
 */
export function readShortPage<R>(
  connection: Pick<Connection, "first" | "all">,
  { slices }: Statement<R>,
  values: Values,
  maxRows: number,
): R[] | undefined {
  if (maxRows === 0 || !slices?.shortPage) return undefined;
  const hasMore = () =>
    connection.first(slices.first, { ...values, limit: 1, offset: maxRows }) !== undefined;
  const isBeyond = Number(values.offset) + Number(values.limit) > maxRows;
  if (isBeyond && hasMore()) return undefined;
  // Safe: `shortPage` has the fields of the statement.
  const rows = connection.all(slices.shortPage as Statement<R>, { ...values, entryCount: maxRows });
  return isBeyond || rows.length === values.limit || !hasMore() ? rows : undefined;
}
