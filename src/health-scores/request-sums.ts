import { and, count, eq, gt, lte, min, sql } from "drizzle-orm";
import { input, inputs, integerInput, integerSum, isInJson, textInput } from "../../db/expressions.ts";
import { accounts, featureRequests } from "../../db/schema.ts";
import type { ResourceRows, Sides } from "../core/changes/changes.ts";
import { aggregateOf, update } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/tenant.ts";
import { isDone, resolutionMilliseconds } from "./request-facts.ts";
import { staleScore } from "./stale.ts";

const { openSeverity, resolvedCount, resolvedTime, resolvedAfter } = accounts;
const isAccount = eq(accounts.id, integerInput("accountId"));
const isCounted = sql`${input("resolvedAt")} > ${resolvedAfter}`;
const addToSums = update("requestSums.add", {
  table: accounts,
  set: {
    ...staleScore,
    openSeverity: sql`${openSeverity} + ${input("openSeverity")}`,
    resolvedCount: sql`${resolvedCount} + case when ${isCounted} then ${integerInput("resolvedCount")} else 0 end`,
    resolvedTime: sql`${resolvedTime} + case when ${isCounted} then ${integerInput("resolvedTime")} else 0 end`,
  },
  where: isAccount,
});

const isResolvedAfter = and(
  eq(featureRequests.accountId, accounts.id),
  gt(featureRequests.resolvedAt, resolvedAfter),
);
const expired = {
  from: featureRequests,
  where: and(isResolvedAfter, isDone, lte(featureRequests.resolvedAt, integerInput("resolvedAfter"))),
};
// Subtracted in SQL, because the milliseconds of many requests are no exact number in JavaScript.
const expire = update("requestSums.expire", {
  table: accounts,
  set: {
    resolvedCount: sql`${resolvedCount} - ${aggregateOf(count(), expired)}`,
    resolvedTime: sql`${resolvedTime} - coalesce(${aggregateOf(integerSum(resolutionMilliseconds), expired)}, 0)`,
    ...inputs(accounts, "resolvedAfter"),
  },
  where: isInJson(accounts.id, textInput("accountIds")),
});
/** The first time after `resolvedAfter` at which a request of the account became Done or Declined; null without any. */
export const firstCountedResolution = aggregateOf(min(featureRequests.resolvedAt), {
  from: featureRequests,
  where: isResolvedAfter,
});

type RequestSums = { accountId: number; openSeverity: number; resolvedCount: number; resolvedTime: number };

/** Updates the sums of an account after a change of a request, and marks its score as stale. */
export async function updateRequestSums(
  tx: TenantTransaction,
  { before, after }: Sides<"request">,
): Promise<void> {
  const [from, to] = [before && sumsOf(before, -1), after && sumsOf(after, 1)];
  const total = from && to && totalOf(from, to);
  if (total) await tx.run(addToSums, total);
  else for (const sums of [from, to]) if (sums) await tx.run(addToSums, sums);
}

/** Subtracts the requests that were resolved up to `resolvedAfter` from the sums. */
export async function expireResolutions(
  tx: TenantTransaction,
  accountIds: readonly number[],
  resolvedAfter: number,
): Promise<void> {
  await tx.run(expire, { accountIds: JSON.stringify(accountIds), resolvedAfter });
}

type RequestDelta = RequestSums & { resolvedAt: number };

function sumsOf(
  { accountId, severity, status, requestedAt, resolvedAt }: ResourceRows["request"],
  sign: 1 | -1,
): RequestDelta {
  if (resolvedAt === null || status === "Declined") {
    const openSeverity = resolvedAt === null ? sign * severity : 0;
    return { accountId, openSeverity, resolvedCount: 0, resolvedTime: 0, resolvedAt: 0 };
  }
  const resolvedTime = sign * Math.max(0, resolvedAt - requestedAt);
  return { accountId, openSeverity: 0, resolvedCount: sign, resolvedTime, resolvedAt };
}

/** The sum of both sides of an update; undefined for two accounts, and for two times of which only one may be counted. */
function totalOf(from: RequestDelta, to: RequestDelta): RequestDelta | undefined {
  const isResolvedTwice = from.resolvedCount !== 0 && to.resolvedCount !== 0;
  if (from.accountId !== to.accountId || (isResolvedTwice && from.resolvedAt !== to.resolvedAt))
    return undefined;
  return {
    accountId: to.accountId,
    openSeverity: from.openSeverity + to.openSeverity,
    resolvedCount: from.resolvedCount + to.resolvedCount,
    resolvedTime: from.resolvedTime + to.resolvedTime,
    resolvedAt: Math.max(from.resolvedAt, to.resolvedAt),
  };
}
