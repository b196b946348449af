import { and, asc, desc, eq, gt, gte, isNull, lt, lte, max, or, type SQL, sql } from "drizzle-orm";
import { integerInput, integerSum, isInJson, pick, textInput } from "../../db/expressions.ts";
import { accounts, featureRequests, lastSeen, meetings, usageDays } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { parseStoredJson } from "../core/stored-json.ts";
import { aggregateOf, jsonArray, select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { dayOf, millisecondsOfDay } from "../core/timestamps.ts";
import { type ActivityFacts, type HealthFacts, trendDays } from "./score.ts";

const asOf = integerInput("asOf");
/** The condition that a row is of one of the accounts. */
const isOfAccounts = (table: typeof featureRequests | typeof meetings | typeof usageDays) =>
  isInJson(table.accountId, textInput("accountIds"));

/** The latest last-seen timestamp of an account up to `asOf`, as JSON text. */
const latestLastSeen = jsonArray({
  fields: { source: lastSeen.source, lastSeenAt: lastSeen.lastSeenAt },
  from: lastSeen,
  where: and(eq(lastSeen.accountId, accounts.id), lte(lastSeen.lastSeenAt, asOf)),
  orderBy: [desc(lastSeen.lastSeenAt), asc(lastSeen.source)],
  limit: 1,
});
/** When a day had its last event. A last event after `asOf` is replaced by the day's first one. */
const lastOfDay = sql<number>`max(case when ${usageDays.lastAt} <= ${asOf} then ${usageDays.lastAt} else ${usageDays.firstAt} end)`;
const hasEvents = and(
  eq(usageDays.accountId, accounts.id),
  lte(usageDays.day, integerInput("lastDay")),
  lte(usageDays.firstAt, asOf),
);
const newestDay = aggregateOf(max(usageDays.day), { from: usageDays, where: hasEvents });
/** When an account had its last event up to `asOf`, on a day up to `lastDay`. */
const lastEventOfAccount = aggregateOf<number | null>(lastOfDay, {
  from: usageDays,
  where: and(hasEvents, eq(usageDays.day, newestDay)),
});
/** When the last meeting of an account began, up to `asOf`. */
const lastMeetingOfAccount = aggregateOf(max(meetings.startAt), {
  from: meetings,
  where: and(eq(meetings.accountId, accounts.id), lte(meetings.startAt, asOf)),
});
/** What the contact activity of an account is computed from, with the inputs `asOf` and `lastDay`. */
export const activityFields = {
  contactActivityAt: accounts.contactActivityAt,
  lastSeen: latestLastSeen,
  lastMeetingAt: lastMeetingOfAccount,
  lastEventAt: lastEventOfAccount,
};
const storedFields = pick(
  accounts,
  ...(["status", "score", "tier", "scoredAt", "coverage", "scoreStaleAt", "activityAt"] as const),
);
export type StoredScore = Row<typeof storedFields>;
const accountFacts = select("scoreInputs.accounts", {
  fields: {
    id: accounts.id,
    createdAt: accounts.createdAt,
    ...storedFields,
    ...activityFields,
  },
  from: accounts,
  where: isInJson(accounts.id, textInput("accountIds")),
});

const meetingWindowMilliseconds = 180 * millisecondsOfDay;
const hasBegun = lte(meetings.startAt, asOf);
const isInMeetingWindow = and(isOfAccounts(meetings), gt(meetings.startAt, integerInput("begunAfter")));
const meetingFacts = select("scoreInputs.meetings", {
  fields: {
    accountId: meetings.accountId,
    recent: sumIf(hasBegun, sql`1`),
    oldestRecentAt: minIf(hasBegun, sql`${meetings.startAt}`),
    nextAt: minIf(gt(meetings.startAt, asOf), sql`${meetings.startAt}`),
  },
  from: meetings,
  where: isInMeetingWindow,
  groupBy: [meetings.accountId],
});

const resolutionWindowMilliseconds = 90 * millisecondsOfDay;
const { resolvedAt, requestedAt, severity, status } = featureRequests;
const isInResolutionWindow = and(gt(resolvedAt, integerInput("resolvedAfter")), lte(resolvedAt, asOf));
/** A declined request is neither open nor resolved. */
const isDone = and(eq(status, sql`'Done'`), isInResolutionWindow);
const wasRequested = lte(requestedAt, asOf);
const isOpen = and(wasRequested, or(isNull(resolvedAt), gt(resolvedAt, asOf)));
const requestFacts = select("scoreInputs.requests", {
  fields: {
    accountId: featureRequests.accountId,
    open: sumIf(isOpen, sql`1`),
    openSeverity: sumIf(isOpen, sql`${severity}`),
    openTime: sumIf(isOpen, sql`${asOf} - ${requestedAt}`),
    resolved: sumIf(and(wasRequested, isDone), sql`1`),
    resolvedTime: sumIf(
      and(isDone, lte(requestedAt, resolvedAt), wasRequested),
      sql`${resolvedAt} - ${requestedAt}`,
    ),
    oldestResolvedAt: minIf(and(wasRequested, isInResolutionWindow), sql`${resolvedAt}`),
    nextAt: sql<
      number | null
    >`min(case when ${gt(requestedAt, asOf)} then ${requestedAt} when ${gt(resolvedAt, asOf)} then ${resolvedAt} end)`,
  },
  from: featureRequests,
  where: isOfAccounts(featureRequests),
  groupBy: [featureRequests.accountId],
});

const isScoredDay = and(
  isOfAccounts(usageDays),
  gte(usageDays.day, integerInput("firstDay")),
  lte(usageDays.day, integerInput("lastDay")),
  lte(usageDays.firstAt, asOf),
);
const [recentFrom, today, usageCount] = [
  integerInput("recentFrom"),
  integerInput("lastDay"),
  sql`${usageDays.count}`,
];
const usageFacts = select("scoreInputs.days", {
  fields: {
    accountId: usageDays.accountId,
    recent: sumIf(and(gte(usageDays.day, recentFrom), lt(usageDays.day, today)), usageCount),
    before: sumIf(lt(usageDays.day, recentFrom), usageCount),
    today: sumIf(eq(usageDays.day, today), usageCount),
  },
  from: usageDays,
  where: isScoredDay,
  groupBy: [usageDays.accountId],
});

/** The first row after `maxServedFacts` of each table that has the facts of an account. */
const rowsAfter = [
  select("scoreInputs.requestAfter", {
    fields: { at: requestedAt },
    from: featureRequests,
    where: isOfAccounts(featureRequests),
    paged: true,
  }),
  select("scoreInputs.meetingAfter", {
    fields: { at: meetings.startAt },
    from: meetings,
    where: isInMeetingWindow,
    paged: true,
  }),
  select("scoreInputs.dayAfter", {
    fields: { at: usageDays.firstAt },
    from: usageDays,
    where: isScoredDay,
    paged: true,
  }),
];
/** An account with more rows of one table is read in a reader: they take milliseconds. */
const maxServedFacts = 5_000;

const noUsage = { recent: 0, before: 0, today: 0 };
const noRequests = {
  ...{ open: 0, openSeverity: 0, openTime: 0 },
  ...{ resolved: 0, resolvedTime: 0, oldestResolvedAt: null, nextAt: null },
};
const noMeetings = { recent: 0, oldestRecentAt: null, nextAt: null };

/** The facts of a new account. */
export const noFacts: HealthFacts = {
  status: "active",
  ...{ contactActivityAt: null, lastSeen: [], lastEventAt: null, usage: noUsage, requests: noRequests },
  meetings: { ...noMeetings, lastAt: null },
};

function valuesOf(ids: readonly number[], asOf: number) {
  const today = dayOf(asOf);
  return {
    accountIds: JSON.stringify(ids),
    asOf,
    begunAfter: asOf - meetingWindowMilliseconds,
    resolvedAfter: asOf - resolutionWindowMilliseconds,
    firstDay: today - 2 * trendDays,
    recentFrom: today - trendDays,
    lastDay: today,
  };
}

/** Whether the health of an account as of `asOf` (ms since 1970 UTC) depends on many rows. */
export async function hasManyFacts(
  snapshot: TenantSnapshot,
  accountId: number,
  asOf: number,
): Promise<boolean> {
  const values = { ...valuesOf([accountId], asOf), limit: 1, offset: maxServedFacts };
  const rows = await Promise.all(rowsAfter.map((statement) => snapshot.all(statement, values)));
  return rows.some(({ length }) => length > 0);
}

/**
 * Reads the facts of accounts as of `asOf` (ms since 1970 UTC), and their stored scores. Returns them by account id;
 * accounts that do not exist are absent. A value that was overwritten after `asOf` is lost: the present one is used.
 */
export async function readFacts(
  snapshot: TenantSnapshot,
  ids: readonly number[],
  asOf: number,
): Promise<Map<number, { facts: HealthFacts; stored: StoredScore; createdAt: number }>> {
  const values = valuesOf(ids, asOf);
  const [rows, meetingRows, requestRows, usageRows] = await Promise.all([
    snapshot.all(accountFacts, values),
    snapshot.all(meetingFacts, values),
    snapshot.all(requestFacts, values),
    snapshot.all(usageFacts, values),
  ]);
  const meetingsOf = new Map(meetingRows.map(({ accountId, ...facts }) => [accountId, facts]));
  const requestsOf = new Map(requestRows.map(({ accountId, ...facts }) => [accountId, facts]));
  const usageOf = new Map(usageRows.map(({ accountId, ...facts }) => [accountId, facts]));
  return new Map(
    rows.map(({ id, createdAt, contactActivityAt, lastSeen, lastMeetingAt, lastEventAt, ...stored }) => {
      const activity = { contactActivityAt, lastSeen, lastMeetingAt, lastEventAt };
      const facts: HealthFacts = {
        ...activityFactsOf(activity, asOf),
        status: stored.status,
        usage: usageOf.get(id) ?? noUsage,
        requests: requestsOf.get(id) ?? noRequests,
        meetings: { ...(meetingsOf.get(id) ?? noMeetings), lastAt: lastMeetingAt },
      };
      return [id, { facts, stored, createdAt }];
    }),
  );
}

/** The facts of a row with `activityFields`. */
export function activityFactsOf(
  { contactActivityAt, lastSeen, lastMeetingAt, lastEventAt }: Row<typeof activityFields>,
  asOf: number,
): ActivityFacts {
  // Safe: `latestLastSeen` makes this text.
  const platforms = parseStoredJson(lastSeen) as [source: string, lastSeenAt: number][];
  return {
    contactActivityAt: contactActivityAt !== null && contactActivityAt <= asOf ? contactActivityAt : null,
    lastSeen: platforms.map(([source, lastSeenAt]) => ({ source, lastSeenAt })),
    meetings: { lastAt: lastMeetingAt },
    lastEventAt,
  };
}

/** The sum of the integers of the rows that match the condition. */
function sumIf(condition: SQL | undefined, value: SQL): SQL<number> {
  return sql<number>`coalesce(${integerSum(sql`case when ${condition} then ${value} end`)}, 0)`;
}

/** The smallest value of the rows that match the condition. */
function minIf(condition: SQL | undefined, value: SQL): SQL<number | null> {
  return sql<number | null>`min(case when ${condition} then ${value} end)`;
}
