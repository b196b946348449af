import { and, asc, desc, eq, gt, gte, lte, min, sql } from "drizzle-orm";
import { integerInput } from "../../db/expressions.ts";
import { accounts, lastSeen, meetings, usageDays } from "../../db/schema.ts";
import { parseStoredJson } from "../core/stored-json.ts";
import type { TenantSnapshot } from "../core/tenant.ts";
import { aggregateOf, jsonArray, select } from "../core/tenant-statements.ts";
import { dayOf, millisecondsOfDay } from "../core/timestamps.ts";
import { readRequestFacts } from "./request-facts.ts";
import type { HealthFacts } from "./score.ts";
import { minIf, sumIf } from "./sums.ts";

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

const isOfAccount = eq(meetings.accountId, integerInput("accountId"));
const beginsInWindow = and(isOfAccount, gt(meetings.startAt, integerInput("begunAfter")));
const hasBegun = lte(meetings.startAt, asOf);
const meetingTotals = select("scoreInputs.meetings", {
  fields: {
    recent: sumIf(hasBegun, sql`1`),
    oldestRecentAt: minIf(hasBegun, sql`${meetings.startAt}`),
    nextAt: minIf(gt(meetings.startAt, asOf), sql`${meetings.startAt}`),
    firstAt: aggregateOf(min(meetings.startAt), { from: meetings, where: isOfAccount }),
  },
  from: meetings,
  where: beginsInWindow,
  scanned: select("scoreInputs.meetingsScanned", {
    fields: { startAt: meetings.startAt },
    from: meetings,
    where: beginsInWindow,
    paged: true,
  }).statement,
  hasCheapRows: true,
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
const isRecentDay = and(hasEvents, gte(usageDays.day, integerInput("firstDay")));
const recentDays = select("scoreInputs.recentDays", {
  fields: dayFields,
  from: usageDays,
  where: isRecentDay,
  groupBy: [usageDays.day],
  orderBy: [desc(usageDays.day)],
  scanned: select("scoreInputs.daysScanned", {
    fields: { day: usageDays.day },
    from: usageDays,
    where: isRecentDay,
    paged: true,
  }).statement,
  hasCheapRows: true,
});
const lastDay = select("scoreInputs.lastDay", {
  fields: dayFields,
  from: usageDays,
  where: hasEvents,
  groupBy: [usageDays.day],
  orderBy: [desc(usageDays.day)],
  paged: true,
});

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
  const { status, contactActivityAt } = account;
  return {
    status,
    contactActivityAt: contactActivityAt !== null && contactActivityAt <= asOf ? contactActivityAt : null,
    lastSeen: parseLastSeen(account.lastSeen),
    lastEventAt: latest?.lastAt ?? null,
    usage,
    requests: await readRequestFacts(snapshot, accountId, asOf),
    meetings: await readMeetings(snapshot, accountId, asOf),
  };
}

const noMeetings = { recent: 0, oldestRecentAt: null, nextAt: null, firstAt: null };

async function readMeetings(
  snapshot: TenantSnapshot,
  accountId: number,
  asOf: number,
): Promise<HealthFacts["meetings"]> {
  const values = { accountId, asOf, begunAfter: asOf - 180 * millisecondsOfDay };
  const { firstAt, ...totals } = (await snapshot.first(meetingTotals, values)) ?? noMeetings;
  return { ...totals, hasAny: firstAt !== null && firstAt <= asOf };
}

function parseLastSeen(json: string): HealthFacts["lastSeen"] {
  // Safe: `accountWithLastSeen` makes this text.
  const rows = parseStoredJson(json) as [source: string, lastSeenAt: number][];
  return rows.map(([source, lastSeenAt]) => ({ source, lastSeenAt }));
}
