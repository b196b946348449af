import { and, asc, count, desc, eq, gte, lte, type SQL, sql } from "drizzle-orm";
import { accounts, featureRequests, lastSeen, meetings, usageDays } from "../../db/schema.ts";
import { integerInput } from "../../db/statements.ts";
import { jsonArray, select, type TenantSnapshot } from "../core/tenant.ts";
import { dayOf, millisecondsOfDay } from "../core/timestamps.ts";
import type { HealthInputs } from "./score.ts";

const asOf = integerInput("asOf");
const accountWithSeen = select({
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

const isResolvedRecently = and(
  sql`${featureRequests.resolvedAt} > ${integerInput("resolvedAfter")}`,
  lte(featureRequests.resolvedAt, asOf),
) as SQL;
const requestsMade = select({
  fields: {
    total: count(),
    openSeverity: sumIf(
      sql`(${featureRequests.resolvedAt} is null or ${featureRequests.resolvedAt} > ${asOf})`,
      sql`${featureRequests.severity}`,
    ),
    resolved: sumIf(isResolvedRecently, sql`1`),
    resolvedTime: sumIf(
      and(isResolvedRecently, sql`${featureRequests.resolvedAt} > ${featureRequests.requestedAt}`) as SQL,
      sql`${featureRequests.resolvedAt} - ${featureRequests.requestedAt}`,
    ),
    oldestResolvedAt: minIf(isResolvedRecently, sql`${featureRequests.resolvedAt}`),
  },
  from: featureRequests,
  where: and(
    eq(featureRequests.accountId, integerInput("accountId")),
    lte(featureRequests.requestedAt, asOf),
  ),
});

const hasBegun = sql`${meetings.startAt} <= ${asOf}`;
const hasBegunRecently = and(hasBegun, sql`${meetings.startAt} > ${integerInput("begunAfter")}`) as SQL;
const meetingsHeld = select({
  fields: {
    total: sumIf(hasBegun, sql`1`),
    recent: sumIf(hasBegunRecently, sql`1`),
    oldestRecentAt: minIf(hasBegunRecently, sql`${meetings.startAt}`),
    nextAt: minIf(sql`${meetings.startAt} > ${asOf}`, sql`${meetings.startAt}`),
  },
  from: meetings,
  where: eq(meetings.accountId, integerInput("accountId")),
});

/** The rows of days that had begun: their last event, if that was after the moment, counts as their first. */
const dayRows = and(
  eq(usageDays.accountId, integerInput("accountId")),
  lte(usageDays.day, integerInput("day")),
  lte(usageDays.firstAt, asOf),
);
const dayFields = {
  day: usageDays.day,
  count: sql<number>`sum(${usageDays.count})`,
  lastAt: sql<number>`max(case when ${usageDays.lastAt} <= ${asOf} then ${usageDays.lastAt} else ${usageDays.firstAt} end)`,
};
const recentDays = select({
  fields: dayFields,
  from: usageDays,
  where: and(dayRows, gte(usageDays.day, integerInput("firstDay"))),
  groupBy: [usageDays.day],
  orderBy: [desc(usageDays.day)],
});
const lastDay = select({
  fields: dayFields,
  from: usageDays,
  where: dayRows,
  groupBy: [usageDays.day],
  orderBy: [desc(usageDays.day)],
  paged: true,
});

function sumIf(condition: SQL, value: SQL): SQL<number> {
  return sql<number>`coalesce(sum(case when ${condition} then ${value} end), 0)`;
}

function minIf(condition: SQL, value: SQL): SQL<number | null> {
  return sql<number | null>`min(case when ${condition} then ${value} end)`;
}

/**
 * What is stored of an account, as far as it had happened by `now` (milliseconds since 1970 UTC); undefined
 * when there is no such account. What is stored anew replaces what was: a value that was set later than `now`
 * leaves no trace of the one before it.
 */
export async function readInputs(
  snapshot: TenantSnapshot,
  accountId: number,
  now: number,
): Promise<HealthInputs | undefined> {
  const asked = { accountId, asOf: now };
  const account = await snapshot.first(accountWithSeen, asked);
  if (!account) return undefined;
  const days = { ...asked, day: dayOf(now) };
  const usage = await snapshot.all(recentDays, { ...days, firstDay: days.day - 27 });
  const [latest] = usage.length > 0 ? usage : await snapshot.all(lastDay, { ...days, limit: 1, offset: 0 });
  const made = await snapshot.first(requestsMade, { ...asked, resolvedAfter: now - 90 * millisecondsOfDay });
  const held = await snapshot.first(meetingsHeld, { ...asked, begunAfter: now - 180 * millisecondsOfDay });
  const { status, contactActivityAt: at } = account;
  return {
    status,
    contactActivityAt: at !== null && at <= now ? at : null,
    lastSeen: seenOf(account.lastSeen),
    lastEventAt: latest?.lastAt ?? null,
    usage,
    requests: made ?? noRequests,
    meetings: held ?? noMeetings,
  };
}

const noRequests = { total: 0, openSeverity: 0, resolved: 0, resolvedTime: 0, oldestResolvedAt: null };
const noMeetings = { total: 0, recent: 0, oldestRecentAt: null, nextAt: null };

function seenOf(json: string): HealthInputs["lastSeen"] {
  // Safe: the text was made by the statement above.
  const seen = JSON.parse(json) as [source: string, lastSeenAt: number][];
  return seen.map(([source, lastSeenAt]) => ({ source, lastSeenAt }));
}
