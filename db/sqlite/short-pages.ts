import type { Value, Values } from "../engine.ts";
import type { Statement } from "../statements.ts";
import type { Connection } from "./connection.ts";

type Position = { column0: Value; column1: Value };

/**
 * Reads a page that needs only the first `maxRows` rows of its range of an index, whether they match the other filters
 * or not. Returns undefined if it needs more, or is not in the order of the index.
 */
export function readShortPage<R>(
  connection: Pick<Connection, "first" | "all">,
  statement: Statement<R>,
  values: Values,
  maxRows: number,
): R[] | undefined {
  const { slices } = statement;
  // Safe: the parts have the fields of the statement.
  const rowsWithin = slices?.keyRange.rows as Statement<R> | undefined;
  const rowsBetween = slices?.valueRange?.rows as Statement<R> | undefined;
  if (maxRows === 0 || !slices?.isInOrder || !rowsWithin || !rowsBetween) return undefined;
  const positionAt = (offset: number, positions: Statement<unknown>, value: Value = null) =>
    connection.first(positions as Statement<Position>, { ...values, value, limit: 1, offset });
  const stop = positionAt(maxRows, slices.first);
  if (!stop) return connection.all(statement, values);
  const start = positionAt(0, slices.first);
  const isOneValue = start?.column0 === stop.column0;
  const end = isOneValue ? stop : start && positionAt(0, slices.lastWithin, start.column0);
  if (!start || !end) return undefined;
  const offset = Number(values.offset);
  const count = offset + Number(values.limit);
  const rangeOf = (from: Value, to: Value) =>
    slices.isDescending ? { lower: to, upper: from } : { lower: from, upper: to };
  const within = { ...values, value: start.column0, ...rangeOf(start.column1, end.column1) };
  const rows = connection.all(rowsWithin, { ...within, limit: count, offset: 0 });
  const between = { ...values, ...rangeOf(start.column0, stop.column0), limit: count - rows.length };
  if (!isOneValue) rows.push(...connection.all(rowsBetween, { ...between, offset: 0 }));
  return rows.length === count ? rows.slice(offset) : undefined;
}
