import type { Transaction } from "../../engine.ts";

export type QueuedWork<T> = (tx: Transaction) => Promise<T>;
export type QueuedWrite = {
  organizationId: number;
  work: QueuedWork<unknown>;
  isBulk: boolean;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};
export type WriteResult = { write: QueuedWrite } & ({ value: unknown } | { error: unknown });

/** Settles the promises of the writes of a batch, after its commit. */
export function settle(results: WriteResult[]): void {
  for (const result of results) {
    if ("error" in result) result.write.reject(result.error);
    else result.write.resolve(result.value);
  }
}
