import { and, asc, count, desc, eq, gt, gte, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import { allOf, integerInput } from "../../db/expressions.ts";
import { accounts, featureRequests, lastSeen, meetings, usageDays } from "../../db/schema.ts";
import { parseStoredJson } from "../core/stored-json.ts";
import type { TenantSnapshot } from "../core/tenant.ts";
import { jsonArray, select } from "../core/tenant-statements.ts";
import { dayOf, millisecondsOfDay } from "../core/timestamps.ts";
import type { HealthFacts } from "./score.ts";

const asOf = integerInput("asOf");
const accountWithLastSeen = select("scoreInputs.account", {
  fields: {
    status: accounts.status,
    contactActivityAt: accounts.contactActivityAt,
    lastSeen: jsonArray({
      fields: { source: lastSeen.source, lastSeenAt: lastSeen.lastSeenAt },
      from: lastSeen,
      where: and(eq(lastSeen.accountId, accounts.id), lte(lastSeen.lastSeenAt, asOf)),
      orderBy: [desc(lastSeen.lastSeenAt), asc(lastSeen.source)],
      limit: 1,
    }),
  },
  from: accounts,
  where: eq(accounts.id, integerInput("accountId")),
});

const isResolvedRecently = allOf(
  gt(featureRequests.resolvedAt, integerInput("resolvedAfter")),
  lte(featureRequests.resolvedAt, asOf),
);
const requestTotals = select("scoreInputs.requests", {
  fields: {
    total: count(),
    openSeverity: sumIf(
      or(isNull(featureRequests.resolvedAt), gt(featureRequests.resolvedAt, asOf)),
      sql`${featureRequests.severity}`,
    ),
    resolved: sumIf(isResolvedRecently, sql`1`),
    resolvedTime: sumIf(
      and(isResolvedRecently, gt(featureRequests.resolvedAt, featureRequests.requestedAt)),
      sql`${featureRequests.resolvedAt} - ${featureRequests.requestedAt}`,
    ),
    oldestResolvedAt: minIf(isResolvedRecently, sql`${featureRequests.resolvedAt}`),
  },
  from: featureRequests,
  where: and(
    eq(featureRequests.accountId, integerInput("accountId")),
    lte(featureRequests.requestedAt, asOf),
  ),
  scanned: rowsOfAccount("scoreInputs.requestsScanned", featureRequests),
});

const hasBegun = lte(meetings.startAt, asOf);
const hasBegunRecently = and(hasBegun, gt(meetings.startAt, integerInput("begunAfter")));
const meetingTotals = select("scoreInputs.meetings", {
  fields: {
    total: sumIf(hasBegun, sql`1`),
    recent: sumIf(hasBegunRecently, sql`1`),
    oldestRecentAt: minIf(hasBegunRecently, sql`${meetings.startAt}`),
    nextAt: minIf(gt(meetings.startAt, asOf), sql`${meetings.startAt}`),
  },
  from: meetings,
  where: eq(meetings.accountId, integerInput("accountId")),
  scanned: rowsOfAccount("scoreInputs.meetingsScanned", meetings),
});

/** The days with an event up to `asOf`. */
const hasEvents = and(
  eq(usageDays.accountId, integerInput("accountId")),
  lte(usageDays.day, integerInput("day")),
  lte(usageDays.firstAt, asOf),
);
// A last event after `asOf` is replaced by the day's first one.
const dayFields = {
  day: usageDays.day,
  count: sql<number>`sum(${usageDays.count})`,
  lastAt: sql<number>`max(case when ${usageDays.lastAt} <= ${asOf} then ${usageDays.lastAt} else ${usageDays.firstAt} end)`,
};
const recentDays = select("scoreInputs.recentDays", {
  fields: dayFields,
  from: usageDays,
  where: and(hasEvents, gte(usageDays.day, integerInput("firstDay"))),
  groupBy: [usageDays.day],
  orderBy: [desc(usageDays.day)],
  scanned: rowsOfAccount("scoreInputs.daysScanned", usageDays),
});
const lastDay = select("scoreInputs.lastDay", {
  fields: dayFields,
  from: usageDays,
  where: hasEvents,
  groupBy: [usageDays.day],
  orderBy: [desc(usageDays.day)],
  paged: true,
});

/** The rows of the account, as the statement whose rows are scanned. */
function rowsOfAccount(name: string, from: typeof featureRequests | typeof meetings | typeof usageDays) {
  const { accountId } = from;
  const where = eq(accountId, integerInput("accountId"));
  return select(name, { fields: { accountId }, from, where, paged: true }).statement;
}

function sumIf(condition: SQL | undefined, value: SQL): SQL<number> {
  return sql<number>`coalesce(sum(case when ${condition} then ${value} end), 0)`;
}

function minIf(condition: SQL | undefined, value: SQL): SQL<number | null> {
  return sql<number | null>`min(case when ${condition} then ${value} end)`;
}

/**
 * The facts about an account with dates up to `asOf` (milliseconds since 1970 UTC). A value that was overwritten after
 * `asOf` is lost: the present one is used. Undefined when the account does not exist.
 */
export async function readFacts(
  snapshot: TenantSnapshot,
  accountId: number,
  asOf: number,
): Promise<HealthFacts | undefined> {
  const values = { accountId, asOf };
  const account = await snapshot.first(accountWithLastSeen, values);
  if (!account) return undefined;
  const days = { ...values, day: dayOf(asOf) };
  const usage = await snapshot.all(recentDays, { ...days, firstDay: days.day - 27 });
  const [latest] = usage.length > 0 ? usage : await snapshot.all(lastDay, { ...days, limit: 1, offset: 0 });
  const resolvedAfter = asOf - 90 * millisecondsOfDay;
  const begunAfter = asOf - 180 * millisecondsOfDay;
  const { status, contactActivityAt } = account;
  return {
    status,
    contactActivityAt: contactActivityAt !== null && contactActivityAt <= asOf ? contactActivityAt : null,
    lastSeen: parseLastSeen(account.lastSeen),
    lastEventAt: latest?.lastAt ?? null,
    usage,
    requests: (await snapshot.first(requestTotals, { ...values, resolvedAfter })) ?? noRequests,
    meetings: (await snapshot.first(meetingTotals, { ...values, begunAfter })) ?? noMeetings,
  };
}

const noRequests = { total: 0, openSeverity: 0, resolved: 0, resolvedTime: 0, oldestResolvedAt: null };
const noMeetings = { total: 0, recent: 0, oldestRecentAt: null, nextAt: null };

function parseLastSeen(json: string): HealthFacts["lastSeen"] {
  // Safe: `accountWithLastSeen` makes this text.
  const rows = parseStoredJson(json) as [source: string, lastSeenAt: number][];
  return rows.map(([source, lastSeenAt]) => ({ source, lastSeenAt }));
}
