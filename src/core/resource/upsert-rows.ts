import { Pauses } from "../../../db/event-loop.ts";
import { Problem } from "../errors.ts";
import type { TenantTransaction } from "../tenant/transaction.ts";

export type UpsertResult =
  | { id: number; result: "created" | "updated" | "unchanged" }
  | { result: "failed"; problem: Problem };

/**
 * Creates or updates rows, each for itself: one that fails leaves nothing behind. Items that are a Problem have failed
 * already. Throws errors that are no problems.
 */
export async function upsertRows<Item>(
  tx: TenantTransaction,
  items: readonly (Item | Problem)[],
  upsert: (item: Item, index: number) => Promise<UpsertResult>,
): Promise<UpsertResult[]> {
  const pauses = new Pauses(tx);
  const results: UpsertResult[] = [];
  for (const [index, item] of items.entries()) {
    await pauses.next();
    const result = item instanceof Problem ? item : await tx.attempt(() => upsert(item, index));
    results.push(result instanceof Problem ? { result: "failed", problem: result } : result);
  }
  return results;
}
