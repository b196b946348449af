import { and, asc, count, desc, eq, gte, lte, type SQL, sql } from "drizzle-orm";
import { accounts, lastSeen, meetings, requests, usageDays } from "../../db/schema.ts";
import { integerInput } from "../../db/statements.ts";
import { jsonRows, type OwnRows, select } from "../core/tenant.ts";
import { dayOf, millisecondsOfDay } from "../core/timestamps.ts";
import type { HealthInputs } from "./score.ts";

const asOf = integerInput("asOf");
const accountWithSeen = select({
  fields: {
    status: accounts.status,
    contactActivityAt: accounts.contactActivityAt,
    lastSeen: jsonRows({
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

const resolvedInTime = and(
  sql`${requests.resolvedAt} > ${integerInput("resolvedAfter")}`,
  lte(requests.resolvedAt, asOf),
) as SQL;
const requestsMade = select({
  fields: {
    total: count(),
    openSeverity: sumIf(
      sql`(${requests.resolvedAt} is null or ${requests.resolvedAt} > ${asOf})`,
      sql`${requests.severity}`,
    ),
    resolved: sumIf(resolvedInTime, sql`1`),
    resolvedTime: sumIf(
      and(resolvedInTime, sql`${requests.resolvedAt} > ${requests.requestedAt}`) as SQL,
      sql`${requests.resolvedAt} - ${requests.requestedAt}`,
    ),
    oldestResolvedAt: leastIf(resolvedInTime, sql`${requests.resolvedAt}`),
  },
  from: requests,
  where: and(eq(requests.accountId, integerInput("accountId")), lte(requests.requestedAt, asOf)),
});

const begun = sql`${meetings.startAt} <= ${asOf}`;
const begunInTime = and(begun, sql`${meetings.startAt} > ${integerInput("begunAfter")}`) as SQL;
const meetingsHeld = select({
  fields: {
    total: sumIf(begun, sql`1`),
    recent: sumIf(begunInTime, sql`1`),
    oldestRecentAt: leastIf(begunInTime, sql`${meetings.startAt}`),
    nextAt: leastIf(sql`${meetings.startAt} > ${asOf}`, sql`${meetings.startAt}`),
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

function leastIf(condition: SQL, value: SQL): SQL<number | null> {
  return sql<number | null>`min(case when ${condition} then ${value} end)`;
}

/**
 * What is stored of an account, as far as it had happened by `now` (milliseconds since 1970 UTC); undefined
 * when there is no such account. What is stored anew replaces what was: a value that was set later than `now`
 * leaves no trace of the one before it.
 */
export async function readInputs(
  rows: OwnRows,
  accountId: number,
  now: number,
): Promise<HealthInputs | undefined> {
  const asked = { accountId, asOf: now };
  const account = await rows.first(accountWithSeen, asked);
  if (!account) return undefined;
  const days = { ...asked, day: dayOf(now) };
  const usage = await rows.all(recentDays, { ...days, firstDay: days.day - 27 });
  const [latest] = usage.length > 0 ? usage : await rows.all(lastDay, { ...days, limit: 1, offset: 0 });
  const made = await rows.first(requestsMade, { ...asked, resolvedAfter: now - 90 * millisecondsOfDay });
  const held = await rows.first(meetingsHeld, { ...asked, begunAfter: now - 180 * millisecondsOfDay });
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
