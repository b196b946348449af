import { eq, isNull, ne, or, sql } from "drizzle-orm";
import { allOf, integerInput, isInJson, textInput } from "../../db/expressions.ts";
import { accounts } from "../../db/schema.ts";
import { update } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/tenant.ts";

/** The `scoreStaleAt` of a score that has to be recomputed now. */
const DUE_NOW = 0;

/** The columns that mark a score as stale, for `set`. */
export const staleScore = { scoreStaleAt: sql.raw(String(DUE_NOW)) };
/** A row that is marked already is not written again. */
const isUnmarked = or(isNull(accounts.scoreStaleAt), ne(accounts.scoreStaleAt, staleScore.scoreStaleAt));
const markStale = update("scores.markStale", {
  table: accounts,
  set: staleScore,
  where: allOf(eq(accounts.id, integerInput("accountId")), isUnmarked),
});

/** Marks the score of an account as stale, to be recomputed by the score job. The job finds new events itself. */
export async function markScoreStale(tx: TenantTransaction, accountId: number): Promise<void> {
  await tx.run(markStale, { accountId });
}

const markAllStale = update("scores.markAllStale", {
  table: accounts,
  set: staleScore,
  where: allOf(isInJson(accounts.id, textInput("accountIds")), isUnmarked),
});

/** Marks the scores of accounts as stale by one statement. */
export async function markScoresStale(tx: TenantTransaction, accountIds: readonly number[]): Promise<void> {
  await tx.run(markAllStale, { accountIds: JSON.stringify(accountIds) });
}
