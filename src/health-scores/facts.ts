import { and, asc, desc, eq, gt, lte, min, sql } from "drizzle-orm";
import { integerInput, isInJson, textInput } from "../../db/expressions.ts";
import { accounts, lastSeen, meetings } from "../../db/schema.ts";
import { parseStoredJson } from "../core/stored-json.ts";
import { aggregateOf, jsonArray, select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/tenant.ts";
import { millisecondsOfDay } from "../core/timestamps.ts";
import { readRequestFacts, requestSumFields, resolutionWindowMilliseconds } from "./request-facts.ts";
import type { HealthFacts } from "./score.ts";
import { minIf, sumIf } from "./sums.ts";
import { readUsage, type UsageFacts } from "./usage-facts.ts";

const asOf = integerInput("asOf");
/** The latest last-seen timestamp of an account up to `asOf`, as JSON text. */
export const latestLastSeen = jsonArray({
  fields: { source: lastSeen.source, lastSeenAt: lastSeen.lastSeenAt },
  from: lastSeen,
  where: and(eq(lastSeen.accountId, accounts.id), lte(lastSeen.lastSeenAt, asOf)),
  orderBy: [desc(lastSeen.lastSeenAt), asc(lastSeen.source)],
  limit: 1,
});
const accountFields = {
  id: accounts.id,
  status: accounts.status,
  contactActivityAt: accounts.contactActivityAt,
  lastSeen: latestLastSeen,
  firstMeetingAt: aggregateOf(min(meetings.startAt), {
    from: meetings,
    where: eq(meetings.accountId, accounts.id),
  }),
  ...requestSumFields,
};
const accountFacts = select("scoreInputs.accounts", {
  fields: accountFields,
  from: accounts,
  where: isInJson(accounts.id, textInput("accountIds")),
});

const beginsInWindow = and(
  isInJson(meetings.accountId, textInput("accountIds")),
  gt(meetings.startAt, integerInput("begunAfter")),
);
const hasBegun = lte(meetings.startAt, asOf);
const meetingsSinceWindowStart = select("scoreInputs.meetings", {
  fields: {
    accountId: meetings.accountId,
    recent: sumIf(hasBegun, sql`1`),
    oldestRecentAt: minIf(hasBegun, sql`${meetings.startAt}`),
    nextAt: minIf(gt(meetings.startAt, asOf), sql`${meetings.startAt}`),
  },
  from: meetings,
  where: beginsInWindow,
  groupBy: [meetings.accountId],
  scanned: select("scoreInputs.meetingsScanned", {
    fields: { startAt: meetings.startAt },
    from: meetings,
    where: beginsInWindow,
    paged: true,
  }).statement,
  isIndexOnly: true,
});
const meetingWindowMilliseconds = 180 * millisecondsOfDay;

const noUsage: UsageFacts = { usage: [], lastEventAt: null };
const noMeetings = { recent: 0, oldestRecentAt: null, nextAt: null };

/**
 * Reads the facts of accounts as of `asOf` (ms since 1970 UTC). Returns them by account id; accounts that do not exist
 * are absent. A value that was overwritten after `asOf` is lost: the present one is used.
 */
export async function readFacts(
  snapshot: TenantSnapshot,
  ids: readonly number[],
  asOf: number,
): Promise<Map<number, HealthFacts & UsageFacts>> {
  const values = {
    accountIds: JSON.stringify(ids),
    asOf,
    begunAfter: asOf - meetingWindowMilliseconds,
    resolvedAfter: asOf - resolutionWindowMilliseconds,
  };
  const [rows, meetingTotals, usage] = await Promise.all([
    snapshot.all(accountFacts, values),
    snapshot.all(meetingsSinceWindowStart, values),
    readUsage(snapshot, ids, asOf),
  ]);
  const meetingsOf = new Map(meetingTotals.map(({ accountId, ...totals }) => [accountId, totals]));
  const facts = rows.map(async (account) => {
    const { id, status, contactActivityAt, firstMeetingAt } = account;
    const factsOfAccount = {
      status,
      contactActivityAt: contactActivityAt !== null && contactActivityAt <= asOf ? contactActivityAt : null,
      lastSeen: parseLastSeen(account.lastSeen),
      ...(usage.get(id) ?? noUsage),
      requests: await readRequestFacts(snapshot, account, asOf),
      meetings: {
        ...(meetingsOf.get(id) ?? noMeetings),
        hasAny: firstMeetingAt !== null && firstMeetingAt <= asOf,
      },
    };
    return [id, factsOfAccount] as const;
  });
  return new Map(await Promise.all(facts));
}

/** The value of `latestLastSeen`. */
export function parseLastSeen(json: string): HealthFacts["lastSeen"] {
  // Safe: `latestLastSeen` makes this text.
  const rows = parseStoredJson(json) as [source: string, lastSeenAt: number][];
  return rows.map(([source, lastSeenAt]) => ({ source, lastSeenAt }));
}
