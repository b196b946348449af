import type { Values } from "../../engine.ts";
import type { Statement } from "../../statements.ts";
import type { Connection } from "../connection.ts";

/** The rows that a statement of the serving thread reads at most: about a millisecond. */
export const maxLocalRows = 1_000;
/** Rows of an index-only aggregate that take the time of one row that is sorted or returned. */
const indexOnlyFactor = 10;
/** Entries of an index before a page in its order that take the time of one row that is sorted or returned. */
const skippedFactor = 30;

/** Thrown by a statement of a snapshot: the engine runs the read again, in a later turn or on a worker thread. */
export class MovedRead extends Error {
  readonly organizationId: number;
  readonly to: "later turn" | "worker";

  constructor(organizationId: number, to: MovedRead["to"]) {
    super(`the read is moved to a ${to}`);
    this.organizationId = organizationId;
    this.to = to;
  }
}

/**
 * Whether a statement may read many rows: a deep page, or one whose `scanned` rows are many. The statement `scanned`
 * itself stops after `maxRows`, so this takes some tens of microseconds, or half a millisecond for an index-only
 * statement.
 */
export function mayBeSlow(
  connection: Connection,
  { scanned, isIndexOnly }: Statement<unknown>,
  values: Values,
  maxRows: number,
): boolean {
  const isDeep = isDeepPage(values, scanned ? maxRows : maxRows * skippedFactor);
  const offset = isIndexOnly ? maxRows * indexOnlyFactor : maxRows;
  if (isDeep || !scanned) return isDeep;
  return connection.first(scanned, { ...values, limit: 1, offset }) !== undefined;
}

/** Whether the page comes after more than `maxOffset` entries. */
export function isDeepPage({ offset }: Values, maxOffset: number): boolean {
  return typeof offset === "number" && offset > maxOffset;
}

/** The organization whose rows a statement reads; 0 for rows of no organization. */
export function organizationOf(values: Values): number {
  return Number(values.organizationId ?? 0);
}
