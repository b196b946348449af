import type { Values } from "../engine.ts";
import type { Statement } from "../statements.ts";
import type { Connection } from "./connection.ts";

/** The rows that a statement of the serving thread reads at most: about a millisecond. */
export const maxLocalRows = 1_000;

/** Thrown by a statement of a snapshot on the serving thread: the read has to run on a worker thread. */
export class SlowRead extends Error {
  readonly organizationId: number;

  constructor(organizationId: number) {
    super("the read is slow: it runs on a worker thread");
    this.organizationId = organizationId;
  }
}

/**
 * Throws SlowRead for a statement that may read many rows: a deep page, and one whose `scanned` rows are many. The
 * statement `scanned` itself stops after `maxRows`, so this takes some tens of microseconds at most.
 */
export function assertFast(
  connection: Connection,
  { scanned }: Statement<unknown>,
  values: Values,
  maxRows: number,
): void {
  const isDeep = typeof values.offset === "number" && values.offset > maxRows;
  const isSlow =
    isDeep || (scanned && connection.first(scanned, { ...values, limit: 1, offset: maxRows }) !== undefined);
  if (isSlow) throw new SlowRead(Number(values.organizationId ?? 0));
}
