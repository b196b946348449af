import type { TenantTransaction } from "./tenant/transaction.ts";

/** Accounts by the external ids that they took. */
export type TakenIds = ReadonlyMap<string, number>;

/**
 * Calls `attach` once before the transaction ends, with all external ids that accounts took in it: many accounts need one
 * statement then. `name` names what is attached.
 */
export function attachBeforeEnd(
  tx: TenantTransaction,
  name: string,
  { externalId, accountId }: { externalId: string; accountId: number },
  attach: (taken: TakenIds) => Promise<void>,
): void {
  const prefix = `${name} of `;
  // The first account that takes an id gets what waits for it, even if another one takes the id later.
  if (tx.cache.get(prefix + externalId) === undefined) tx.cache.set(prefix + externalId, accountId);
  tx.addLate(name, 0, () => {
    const keys = [...tx.cache.keys()].filter((key) => key.startsWith(prefix));
    return attach(new Map(keys.map((key) => [key.slice(prefix.length), Number(tx.cache.get(key))])));
  });
}
