import { and, count, eq, gt, gte, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import { allOf, integerInput } from "../../db/expressions.ts";
import { featureRequests, requestTotals } from "../../db/schema.ts";
import type { TenantSnapshot } from "../core/tenant.ts";
import { boundOf, select } from "../core/tenant-statements.ts";
import { dayOf, millisecondsOfDay } from "../core/timestamps.ts";
import type { HealthFacts } from "./score.ts";
import { sumIf } from "./sums.ts";

const resolutionDays = 90;

const asOf = integerInput("asOf");
const isOfAccount = eq(featureRequests.accountId, integerInput("accountId"));
const isResolvedInWindow = allOf(
  gt(featureRequests.resolvedAt, integerInput("resolvedAfter")),
  lte(featureRequests.resolvedAt, asOf),
);
const { resolvedAt, requestedAt, severity } = featureRequests;
const duration = sql`case when ${resolvedAt} > ${requestedAt} then ${resolvedAt} - ${requestedAt} else 0 end`;

const [firstDay, lastDay] = [integerInput("firstDay"), integerInput("lastDay")];
const totalsSince = select("scoreInputs.requests", {
  fields: {
    openSeverity: sumIf(gt(requestTotals.day, lastDay), sql`${requestTotals.severity}`),
    resolved: sumIf(lte(requestTotals.day, lastDay), sql`${requestTotals.count}`),
    resolvedTime: sumIf(lte(requestTotals.day, lastDay), sql`${requestTotals.duration}`),
    resolvedOnFirstDay: sumIf(eq(requestTotals.day, firstDay), sql`${requestTotals.count}`),
    firstRequestedAt: boundOf("min", { column: requestedAt, from: featureRequests, where: isOfAccount }),
    lastRequestedAt: boundOf("max", { column: requestedAt, from: featureRequests, where: isOfAccount }),
    oldestResolvedAt: boundOf("min", {
      column: resolvedAt,
      from: featureRequests,
      where: and(isOfAccount, gt(resolvedAt, integerInput("resolvedAfter"))),
    }),
    lastResolvedAt: boundOf("max", {
      column: resolvedAt,
      from: featureRequests,
      where: and(isOfAccount, isNotNull(resolvedAt)),
    }),
  },
  from: requestTotals,
  where: and(eq(requestTotals.accountId, integerInput("accountId")), gte(requestTotals.day, firstDay)),
});
const wasResolvedBetween = and(
  isOfAccount,
  gt(resolvedAt, integerInput("after")),
  lte(resolvedAt, integerInput("upTo")),
);
const resolvedBetween = select("scoreInputs.resolvedBetween", {
  fields: {
    severity: sql<number>`coalesce(sum(${severity}), 0)`,
    count: count(),
    duration: sql<number>`coalesce(sum(${duration}), 0)`,
  },
  from: featureRequests,
  where: wasResolvedBetween,
  scanned: select("scoreInputs.resolvedBetweenScanned", {
    fields: { resolvedAt },
    from: featureRequests,
    where: wasResolvedBetween,
    paged: true,
  }).statement,
  hasCheapRows: true,
});
const isLater = and(isOfAccount, gt(requestedAt, asOf));
const laterRequests = select("scoreInputs.laterRequests", {
  fields: {
    openSeverity: sumIf(or(isNull(resolvedAt), gt(resolvedAt, asOf)), sql`${severity}`),
    resolved: sumIf(isResolvedInWindow, sql`1`),
    resolvedTime: sumIf(isResolvedInWindow, duration),
  },
  from: featureRequests,
  where: isLater,
  scanned: select("scoreInputs.laterRequestsScanned", {
    fields: { requestedAt },
    from: featureRequests,
    where: isLater,
    paged: true,
  }).statement,
  hasCheapRows: true,
});

const noRequests = { hasAny: false, openSeverity: 0, resolved: 0, resolvedTime: 0, oldestResolvedAt: null };
const noRows = { severity: 0, count: 0, duration: 0 };

/**
 * The requests of an account as of `asOf` (milliseconds since 1970 UTC): its totals of whole days, without the part of
 * the first and of the last day that is outside of the window, and without the requests made after `asOf`.
 */
export async function readRequestFacts(
  snapshot: TenantSnapshot,
  accountId: number,
  asOf: number,
): Promise<HealthFacts["requests"]> {
  const resolvedAfter = asOf - resolutionDays * millisecondsOfDay;
  const values = { accountId, asOf, resolvedAfter };
  const [firstDay, lastDay] = [dayOf(resolvedAfter), dayOf(asOf)];
  const totals = await snapshot.first(totalsSince, { ...values, firstDay, lastDay });
  if (!totals || totals.firstRequestedAt === null || totals.firstRequestedAt > asOf) return noRequests;
  const resolvedIn = (after: number, upTo: number) => readResolved(snapshot, { accountId, after, upTo });
  const { lastRequestedAt, lastResolvedAt, oldestResolvedAt } = totals;
  const isPast = lastResolvedAt !== null && lastResolvedAt > asOf;
  const rest = isPast ? await resolvedIn(asOf, (lastDay + 1) * millisecondsOfDay - 1) : noRows;
  const expired =
    totals.resolvedOnFirstDay > 0
      ? await resolvedIn(firstDay * millisecondsOfDay - 1, resolvedAfter)
      : noRows;
  const hasLater = lastRequestedAt !== null && lastRequestedAt > asOf;
  const later = (hasLater ? await snapshot.first(laterRequests, values) : undefined) ?? noRequests;
  return {
    hasAny: true,
    openSeverity: totals.openSeverity + rest.severity - later.openSeverity,
    resolved: totals.resolved - rest.count - expired.count - later.resolved,
    resolvedTime: totals.resolvedTime - rest.duration - expired.duration - later.resolvedTime,
    oldestResolvedAt: oldestResolvedAt !== null && oldestResolvedAt <= asOf ? oldestResolvedAt : null,
  };
}

async function readResolved(
  snapshot: TenantSnapshot,
  range: { accountId: number; after: number; upTo: number },
) {
  return (await snapshot.first(resolvedBetween, range)) ?? noRows;
}
