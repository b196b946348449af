import { and, asc, count, desc, eq, gte, lte, max, type SQL, sql } from "drizzle-orm";
import { either } from "../../db/dialects.ts";
import { allOf, integerInput, integerSum, isAfter, isInJson, pick, textInput } from "../../db/expressions.ts";
import { accounts, usageDays, usageSums } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { invalidParameter, type Problem } from "../core/errors.ts";
import { readCursorPage } from "../core/lists/cursor.ts";
import { offsetOf, type PageRequest, type Pagination, paginationOf } from "../core/lists/paging.ts";
import type { Page } from "../core/lists/read.ts";
import { aggregateOf, inSubquery, select, type TenantStatement } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";

/** UTC days, in days since 1970, both included, and an event name. `range` is the range as it was requested. */
type DayRangeRequest = { from: number; to: number; range: string; event?: string };

type DayList<R> = { page: TenantStatement<R>; total: TenantStatement<{ count: number }> };

const dayFields = pick(usageDays, "day", "event", "count", "users");
export type UsageDayRow = Row<typeof dayFields>;
const sumFields = pick(usageSums, "day", "event", "count", "users", "accountCount");
export type UsageSumRow = Row<typeof sumFields>;

const ofAccount = eq(usageDays.accountId, integerInput("accountId"));
const daysOfAccount = defineDayList("usageDays", usageDays, dayFields, ofAccount);
const sums = defineDayList("usageSums", usageSums, sumFields);

/** A list by day and event of the rows that match `owner`, with which the primary key of the table begins. */
function defineDayList<F extends Parameters<typeof select>[1]["fields"]>(
  name: string,
  from: typeof usageDays | typeof usageSums,
  fields: F,
  owner?: SQL,
): DayList<Row<F>> {
  const { day, event } = from;
  const eventInput = textInput("event");
  const where = and(
    owner,
    gte(day, integerInput("from")),
    lte(day, integerInput("to")),
    sql`(${eventInput} is null or ${event} = ${eventInput})`,
  );
  const isAfterCursor = isAfter([day, event], [integerInput("afterDay"), textInput("afterEvent")]);
  return {
    page: select(`${name}.list`, {
      from,
      fields,
      where: and(where, isAfterCursor),
      orderBy: [asc(day), asc(event)],
      paged: true,
    }),
    total: select(`${name}.total`, { from, where, fields: { count: count() } }),
  };
}

/** Where a day list is read: days of one event can be far apart, and a page by number counts all. */
export function placeOfDays({ cursor, event }: { cursor?: string; event?: string }): "serving" | "reader" {
  return cursor === undefined || event !== undefined ? "reader" : "serving";
}

/** A page of a list, ordered by day and event. `scope` identifies the list and its owner, for cursors. */
async function readDayList<R extends { day: number; event: string }>(
  snapshot: TenantSnapshot,
  statements: DayList<R>,
  { page, pageSize, cursor, range, ...query }: DayRangeRequest & PageRequest & { accountId?: number },
  scope: readonly (string | number)[],
): Promise<Page<R>> {
  const event = query.event ?? null;
  const values = { ...query, event };
  const first = { afterDay: 0, afterEvent: "" };
  if (cursor !== undefined)
    return readCursorPage(
      snapshot,
      { page, pageSize, cursor },
      {
        query: [...scope, range, event],
        positionOf: ({ day, event }) => [day, event],
        readAfter: (after, limit) => {
          const [afterDay = first.afterDay, afterEvent = first.afterEvent] = after ?? [];
          return snapshot.all(statements.page, { ...values, afterDay, afterEvent, limit, offset: 0 });
        },
      },
    );
  const offset = offsetOf({ page, pageSize });
  const rows = await snapshot.all(statements.page, { ...values, ...first, limit: pageSize, offset });
  const total = (await snapshot.first(statements.total, values))?.count ?? 0;
  return { rows, pagination: paginationOf({ page, pageSize }, total) };
}

/** A page of an account's totals from one UTC day to another, both included, ordered by day and event. */
export function listUsage(
  snapshot: TenantSnapshot,
  request: DayRangeRequest & PageRequest & { accountId: number },
): Promise<Page<UsageDayRow>> {
  return readDayList(snapshot, daysOfAccount, request, ["usage", request.accountId]);
}

export function listUsageSums(
  snapshot: TenantSnapshot,
  request: DayRangeRequest & PageRequest,
): Promise<Page<UsageSumRow>> {
  return readDayList(snapshot, sums, request, ["usageSums"]);
}

/** A page begins after at most so many accounts. */
const maxRankingOffset = 10_000;

const { accountId, day, event } = usageDays;
const eventInput = textInput("event");
const eventCount = integerSum(usageDays.count);
/** The accounts one by one, because the index has the days of each account. */
const isOfAnyAccount = either({
  sqlite: inSubquery({ from: accounts, key: accounts.id, column: accountId, where: undefined }),
  postgres: sql`${accountId} = any(array${aggregateOf(sql`${accounts.id}`, { from: accounts, where: undefined })})`,
});
const rankedAccounts = select("usageRanking.accounts", {
  fields: {
    accountId,
    count: eventCount,
    lastAt: max(usageDays.lastAt),
    total: sql<number>`count(*) over ()`,
  },
  from: usageDays,
  where: allOf(
    isOfAnyAccount,
    gte(day, integerInput("from")),
    lte(day, integerInput("to")),
    sql`(${eventInput} is null or ${event} = ${eventInput})`,
  ),
  groupBy: [accountId],
  orderBy: [desc(eventCount), asc(accountId)],
  paged: true,
});
const namesOf = select("usageRanking.names", {
  fields: { id: accounts.id, name: accounts.name, externalId: accounts.externalId },
  from: accounts,
  where: isInJson(accounts.id, textInput("accountIds")),
});

/** An account with its number of events and the time of the last one, in milliseconds since 1970 UTC. */
export type RankedAccount = {
  accountId: number;
  name: string;
  externalId: string | null;
  count: number;
  lastAt: number;
};
/** UTC days, in days since 1970, both included. `event` null: all events. */
type RankingRequest = PageRequest & { from: number; to: number; event: string | null };

/**
 * A page of the accounts with events in a range of days, the most events first; ties are ordered by id. Reads the usage
 * of all accounts in this range. Throws `invalid_request` for a page with rows after `maxRankingOffset`.
 */
export async function rankAccounts(
  snapshot: TenantSnapshot,
  { page, pageSize, from, to, event }: RankingRequest,
): Promise<{ rows: RankedAccount[]; pagination: Pagination }> {
  const offset = offsetOf({ page, pageSize });
  const range = { from, to, event };
  const ranked = await snapshot.all(rankedAccounts, { ...range, limit: pageSize, offset });
  if (offset >= maxRankingOffset && ranked.length > 0) throw pageTooDeep();
  const [first] = ranked.length > 0 || offset === 0 ? ranked : await readFirst(snapshot, range);
  const rows = await withNames(snapshot, ranked);
  return { rows, pagination: paginationOf({ page, pageSize }, first?.total ?? 0) };
}

/** The first account, whose row has the total that no row of an empty page has. */
function readFirst(snapshot: TenantSnapshot, range: Omit<RankingRequest, keyof PageRequest>) {
  return snapshot.all(rankedAccounts, { ...range, limit: 1, offset: 0 });
}

function pageTooDeep(): Problem {
  const limit = maxRankingOffset.toLocaleString("en");
  const detail = `must begin within the first ${limit} accounts: select fewer with from, to or event`;
  return invalidParameter("page", "out_of_range", detail);
}

async function withNames(
  snapshot: TenantSnapshot,
  ranked: readonly { accountId: number; count: number; lastAt: number | null }[],
): Promise<RankedAccount[]> {
  const accountIds = JSON.stringify(ranked.map(({ accountId }) => accountId));
  const names = new Map((await snapshot.all(namesOf, { accountIds })).map(({ id, ...row }) => [id, row]));
  return ranked.flatMap(({ accountId, count, lastAt }) => {
    const account = names.get(accountId);
    return account && lastAt !== null ? [{ accountId, count, lastAt, ...account }] : [];
  });
}
