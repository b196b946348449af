import { and, eq, gt, isNotNull, isNull, lte, max, min, or, sql } from "drizzle-orm";
import { allOf, integerInput, integerSum } from "../../db/expressions.ts";
import { accounts, featureRequests } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { aggregateOf, select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/tenant.ts";
import { millisecondsOfDay } from "../core/timestamps.ts";
import type { HealthFacts } from "./score.ts";
import { sumIf } from "./sums.ts";

/** The length of the window in which resolutions count. */
export const resolutionWindowMilliseconds = 90 * millisecondsOfDay;

const asOf = integerInput("asOf");
const isOfAccount = eq(featureRequests.accountId, integerInput("accountId"));
/** Whether a request with a `resolvedAt` is resolved. A declined one is neither open nor resolved. */
export const isDone = sql`${featureRequests.status} = 'Done'`;
const isDoneInWindow = allOf(
  isDone,
  gt(featureRequests.resolvedAt, integerInput("resolvedAfter")),
  lte(featureRequests.resolvedAt, asOf),
);
const { resolvedAt, requestedAt, severity } = featureRequests;
/** The milliseconds to the resolution of a request. */
export const resolutionMilliseconds = sql`case when ${resolvedAt} > ${requestedAt}
  then ${resolvedAt} - ${requestedAt} else 0 end`;

const isOfAccountRow = eq(featureRequests.accountId, accounts.id);
const ofAccountRow = { from: featureRequests, where: isOfAccountRow };
/** Fields of a select from `accounts`. Its inputs include `resolvedAfter`, the start of the window. */
export const requestSumFields = {
  openSeverity: accounts.openSeverity,
  resolvedCount: accounts.resolvedCount,
  resolvedTime: accounts.resolvedTime,
  resolvedAfter: accounts.resolvedAfter,
  firstRequestedAt: aggregateOf(min(requestedAt), ofAccountRow),
  lastRequestedAt: aggregateOf(max(requestedAt), ofAccountRow),
  oldestResolvedAt: aggregateOf(min(resolvedAt), {
    from: featureRequests,
    where: and(isOfAccountRow, gt(resolvedAt, integerInput("resolvedAfter"))),
  }),
  lastResolvedAt: aggregateOf(max(resolvedAt), {
    from: featureRequests,
    where: and(isOfAccountRow, isNotNull(resolvedAt)),
  }),
};
type StoredRequestSums = Row<typeof requestSumFields> & { id: number };

const wasResolvedBetween = and(
  isOfAccount,
  gt(resolvedAt, integerInput("after")),
  lte(resolvedAt, integerInput("upTo")),
);
const resolvedBetween = select("scoreInputs.resolvedBetween", {
  fields: {
    severity: sql<number>`coalesce(${integerSum(severity)}, 0)`,
    count: sumIf(isDone, sql`1`),
    resolvedTime: sumIf(isDone, resolutionMilliseconds),
  },
  from: featureRequests,
  where: wasResolvedBetween,
  scanned: select("scoreInputs.resolvedBetweenScanned", {
    fields: { resolvedAt },
    from: featureRequests,
    where: wasResolvedBetween,
    paged: true,
  }).statement,
  isIndexOnly: true,
});
const isLater = and(isOfAccount, gt(requestedAt, asOf));
const laterRequests = select("scoreInputs.laterRequests", {
  fields: {
    openSeverity: sumIf(or(isNull(resolvedAt), gt(resolvedAt, asOf)), sql`${severity}`),
    resolved: sumIf(isDoneInWindow, sql`1`),
    resolvedTime: sumIf(isDoneInWindow, resolutionMilliseconds),
  },
  from: featureRequests,
  where: isLater,
  scanned: select("scoreInputs.laterRequestsScanned", {
    fields: { requestedAt },
    from: featureRequests,
    where: isLater,
    paged: true,
  }).statement,
  isIndexOnly: true,
});

const noRequests = { hasAny: false, openSeverity: 0, resolved: 0, resolvedTime: 0, oldestResolvedAt: null };
const noRows = { severity: 0, count: 0, resolvedTime: 0 };

/**
 * The facts about requests as of `asOf` (ms since 1970 UTC): the stored sums, shifted to the window that ends at `asOf`,
 * minus later requests. `sums` was read with the same `resolvedAfter`.
 */
export async function readRequestFacts(
  snapshot: TenantSnapshot,
  sums: StoredRequestSums,
  asOf: number,
): Promise<HealthFacts["requests"]> {
  const accountId = sums.id;
  const values = { accountId, asOf, resolvedAfter: asOf - resolutionWindowMilliseconds };
  if (sums.firstRequestedAt === null || sums.firstRequestedAt > asOf) return noRequests;
  const { lastRequestedAt, oldestResolvedAt } = sums;
  const lastResolvedAt = sums.lastResolvedAt ?? 0;
  const readResolvedBetween = async (after: number, upTo: number) =>
    (lastResolvedAt > after
      ? await snapshot.first(resolvedBetween, { accountId, after, upTo })
      : undefined) ?? noRows;
  const resolvedLater = await readResolvedBetween(asOf, lastResolvedAt);
  const windowStarts = [sums.resolvedAfter, values.resolvedAfter];
  const shifted = await readResolvedBetween(Math.min(...windowStarts), Math.max(...windowStarts));
  const sign = values.resolvedAfter < sums.resolvedAfter ? 1 : -1;
  const hasLater = lastRequestedAt !== null && lastRequestedAt > asOf;
  const afterAsOf = (hasLater ? await snapshot.first(laterRequests, values) : undefined) ?? noRequests;
  return {
    hasAny: true,
    openSeverity: sums.openSeverity + resolvedLater.severity - afterAsOf.openSeverity,
    resolved: sums.resolvedCount + sign * shifted.count - resolvedLater.count - afterAsOf.resolved,
    resolvedTime:
      sums.resolvedTime + sign * shifted.resolvedTime - resolvedLater.resolvedTime - afterAsOf.resolvedTime,
    oldestResolvedAt: oldestResolvedAt !== null && oldestResolvedAt <= asOf ? oldestResolvedAt : null,
  };
}
