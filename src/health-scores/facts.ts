import { and, asc, desc, eq, gt, lte, min, sql } from "drizzle-orm";
import { integerInput } from "../../db/expressions.ts";
import { accounts, lastSeen, meetings } from "../../db/schema.ts";
import { parseStoredJson } from "../core/stored-json.ts";
import type { TenantSnapshot } from "../core/tenant.ts";
import { aggregateOf, jsonArray, select } from "../core/tenant-statements.ts";
import { millisecondsOfDay } from "../core/timestamps.ts";
import { readRequestFacts } from "./request-facts.ts";
import type { HealthFacts } from "./score.ts";
import { minIf, sumIf } from "./sums.ts";
import { readUsage } from "./usage-facts.ts";

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
  isIndexOnly: true,
});

type Facts = HealthFacts & Awaited<ReturnType<typeof readUsage>>;

/**
 * The facts about an account with dates up to `asOf` (milliseconds since 1970 UTC). A value that was overwritten after
 * `asOf` is lost: the present one is used. Undefined when the account does not exist.
 */
export async function readFacts(
  snapshot: TenantSnapshot,
  accountId: number,
  asOf: number,
): Promise<Facts | undefined> {
  const values = { accountId, asOf };
  const account = await snapshot.first(accountWithLastSeen, values);
  if (!account) return undefined;
  const { status, contactActivityAt } = account;
  return {
    status,
    contactActivityAt: contactActivityAt !== null && contactActivityAt <= asOf ? contactActivityAt : null,
    lastSeen: parseLastSeen(account.lastSeen),
    ...(await readUsage(snapshot, accountId, asOf)),
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
