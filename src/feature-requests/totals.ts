import { eq, sql } from "drizzle-orm";
import { allOf, input, inputs, integerInput } from "../../db/expressions.ts";
import { requestTotals, UNRESOLVED_DAY } from "../../db/schema.ts";
import type { ResourceRows } from "../core/changes.ts";
import type { TenantTransaction } from "../core/tenant.ts";
import { insert, remove, update } from "../core/tenant-statements.ts";
import { dayOf } from "../core/timestamps.ts";

const { count, severity, duration } = requestTotals;
const insertTotals = insert("requestTotals.insert", {
  into: requestTotals,
  values: inputs(requestTotals, "accountId", "day", "count", "severity", "duration"),
});
const isOfAccount = eq(requestTotals.accountId, integerInput("accountId"));
const add = update("requestTotals.add", {
  table: requestTotals,
  set: {
    count: sql`${count} + ${input("count")}`,
    severity: sql`${severity} + ${input("severity")}`,
    duration: sql`${duration} + ${input("duration")}`,
  },
  where: allOf(isOfAccount, eq(requestTotals.day, integerInput("day"))),
});
const removeOfAccount = remove("requestTotals.removeOfAccount", { from: requestTotals, where: isOfAccount });

type RequestSides = { before: ResourceRows["request"] | null; after: ResourceRows["request"] | null };

/** Updates the totals of an account after a change of a request. */
export async function updateRequestTotals(
  tx: TenantTransaction,
  { before, after }: RequestSides,
): Promise<void> {
  const [from, to] = [before && totalsOf(before), after && totalsOf(after)];
  if (from && to && from.accountId === to.accountId && from.day === to.day) {
    const added = { severity: to.severity - from.severity, duration: to.duration - from.duration };
    if (added.severity !== 0 || added.duration !== 0) await tx.run(add, { ...to, ...added, count: 0 });
    return;
  }
  if (from) await tx.run(add, { ...from, count: -1, severity: -from.severity, duration: -from.duration });
  if (!to) return;
  const added = { ...to, count: 1 };
  // An upsert costs more than twice as much, because it checks the foreign key.
  if ((await tx.run(add, added)) === 0) await tx.run(insertTotals, added);
}

/** Deletes the totals of a deleted account, of which there is at most one for each day. */
export async function removeRequestTotals(tx: TenantTransaction, accountId: number): Promise<void> {
  await tx.run(removeOfAccount, { accountId });
}

function totalsOf({ accountId, severity, requestedAt, resolvedAt }: ResourceRows["request"]) {
  if (resolvedAt === null) return { accountId, day: UNRESOLVED_DAY, severity, duration: 0 };
  return { accountId, day: dayOf(resolvedAt), severity, duration: Math.max(0, resolvedAt - requestedAt) };
}
