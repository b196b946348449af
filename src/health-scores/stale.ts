import { eq, sql } from "drizzle-orm";
import { accountHealth } from "../../db/schema.ts";
import { inputs, integerInput } from "../../db/statements.ts";
import { insert, type TenantTransaction, update } from "../core/tenant.ts";

/** What an account is ordered by while it has no score: after all that have one. */
export const unscored = 101;
/** When a score is due that is due already, and one that stays as it is. */
const [now, never] = [0, Number.MAX_SAFE_INTEGER];

const insertHealth = insert({
  into: accountHealth,
  values: { ...inputs("accountId", "mrr", "foldedName", "rank", "changesAt"), coverage: sql`0` },
});
const ofAccount = eq(accountHealth.accountId, integerInput("accountId"));
const markDue = update({
  table: accountHealth,
  set: { changesAt: sql.raw(String(now)) },
  where: ofAccount,
});
// Apart, for an update writes the indexes of every column that it sets.
const rename = update({ table: accountHealth, set: inputs("foldedName"), where: ofAccount });
const revalue = update({ table: accountHealth, set: inputs("mrr"), where: ofAccount });

/** Gives a new account its place among the scores, in the transaction that makes it; without a score, unless one is due. */
export async function beginHealth(
  tx: TenantTransaction,
  { isDue, ...account }: { accountId: number; mrr: number; foldedName: string; isDue: boolean },
): Promise<void> {
  await tx.run(insertHealth, { ...account, rank: unscored, changesAt: isDue ? now : never });
}

/** Keeps its name among the scores true to the account's, in the transaction that changes it. */
export async function renameHealth(
  tx: TenantTransaction,
  account: { accountId: number; foldedName: string },
): Promise<void> {
  await tx.run(rename, account);
}

/** Keeps its revenue among the scores true to the account's, in the transaction that changes it. */
export async function revalueHealth(
  tx: TenantTransaction,
  account: { accountId: number; mrr: number },
): Promise<void> {
  await tx.run(revalue, account);
}

/**
 * Notes, in the transaction of a change that an account's score may follow from, that the score has to be
 * worked out again. Usage events need no note: the scores' progress counts them.
 */
export async function healthIsDue(tx: TenantTransaction, accountId: number): Promise<void> {
  await tx.run(markDue, { accountId });
}
