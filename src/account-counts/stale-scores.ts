import { eq, isNull, ne, or, sql } from "drizzle-orm";
import { allOf, integerInput } from "../../db/expressions.ts";
import { accounts, SCORE_DUE_NOW } from "../../db/schema.ts";
import { update } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";

const dueNow = sql.raw(String(SCORE_DUE_NOW));

const markStale = update("scores.markStale", {
  table: accounts,
  set: { scoreStaleAt: dueNow },
  where: allOf(
    eq(accounts.id, integerInput("accountId")),
    // A row that is marked already is not written again.
    or(isNull(accounts.scoreStaleAt), ne(accounts.scoreStaleAt, dueNow)),
  ),
  key: ["accountId"],
});

/** Notes that the row of an account was marked in the transaction: it is not marked again. */
export function noteMarkedScore(tx: TenantTransaction, accountId: number): void {
  tx.cache.set(keyOf(accountId), true);
}

const keyOf = (accountId: number) => `stale score ${accountId}`;

/** Marks the scores of accounts as stale, to be recomputed by the score job. The job finds new events itself. */
export async function markScoresStale(tx: TenantTransaction, accountIds: readonly number[]): Promise<void> {
  for (const accountId of accountIds) {
    if (tx.cache.get(keyOf(accountId))) continue;
    noteMarkedScore(tx, accountId);
    await tx.run(markStale, { accountId });
  }
}
