import { count, eq, isNull, lt, sql } from "drizzle-orm";
import { allOf, inputs, integerInput } from "../../db/expressions.ts";
import { accounts, lastSeen } from "../../db/schema.ts";
import { aggregateOf, update } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/tenant.ts";

const seenCount = aggregateOf(count(), { from: lastSeen, where: eq(lastSeen.accountId, accounts.id) });
const move = update("activity.move", {
  table: accounts,
  set: inputs(accounts, "activityAt"),
  where: allOf(
    eq(accounts.id, integerInput("accountId")),
    lt(accounts.activityAt, integerInput("activityAt")),
    isNull(accounts.contactActivityAt),
    sql`${seenCount} = 0`,
  ),
});

/**
 * Stores the timestamp of a new event as contact activity, unless the API or a platform has set it. For events that
 * leave the score as it is: otherwise the activity is stored with the score.
 */
export async function moveActivity(
  tx: TenantTransaction,
  accountId: number,
  activityAt: number,
): Promise<void> {
  await tx.run(move, { accountId, activityAt });
}
