import { eq, sql } from "drizzle-orm";
import { integerInput } from "../../db/expressions.ts";
import { accounts } from "../../db/schema.ts";
import type { TenantTransaction } from "../core/tenant.ts";
import { update } from "../core/tenant-statements.ts";

/** The `scoreStaleAt` of a score that has to be recomputed now. */
const DUE_NOW = 0;

/** The columns that mark a score as stale, for `set`. */
export const staleScore = { scoreStaleAt: sql.raw(String(DUE_NOW)) };
const markStale = update("scores.markStale", {
  table: accounts,
  set: staleScore,
  where: eq(accounts.id, integerInput("accountId")),
});

/** Marks the score of an account as stale, to be recomputed by the score job. The job finds new events itself. */
export async function markScoreStale(tx: TenantTransaction, accountId: number): Promise<void> {
  await tx.run(markStale, { accountId });
}
