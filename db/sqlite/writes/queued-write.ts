import type { SqliteTransaction } from "./transaction.ts";

export type QueuedWrite = {
  organizationId: number;
  work: (tx: SqliteTransaction) => Promise<unknown>;
  isBulk: boolean;
  /** Whether it runs again, with savepoints for its attempts. */
  hasSavepoints: boolean;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};
export type WriteResult = { write: QueuedWrite; statementCount: number } & (
  | { value: unknown }
  | { error: unknown }
);

export type WriteQueueHooks = {
  /** Called before each batch. The batch fails with the error that it throws. */
  beforeBatch: () => void;
  /** Called right before every commit, and before the last checkpoint. */
  beforeCommit: () => void;
  /** Called right after a commit, before the promises of its writes are resolved. */
  afterCommit: (results: readonly WriteResult[]) => void;
  /** The timestamp for a new transaction. */
  now: () => number;
};

/** A write with more statements is a bulk write: after a few of them, one checkpoint would take some tens of milliseconds. */
const maxFewStatements = 2_000;

export function isBulkWrite({ write, statementCount }: WriteResult): boolean {
  return write.isBulk || statementCount > maxFewStatements;
}

/** Settles the promises of the writes of a batch, after its commit. */
export function settle(results: readonly WriteResult[]): void {
  for (const result of results) {
    if ("error" in result) result.write.reject(result.error);
    else result.write.resolve(result.value);
  }
}
