import { asc, desc, gte, lte, max, sql } from "drizzle-orm";
import { either } from "../../db/dialects.ts";
import { allOf, integerInput, integerSum, isInJson, textInput } from "../../db/expressions.ts";
import { accounts, usageDays } from "../../db/schema.ts";
import { invalidParameter, type Problem } from "../core/errors.ts";
import { offsetOf, type PageRequest, type Pagination, paginationOf } from "../core/lists/paging.ts";
import { aggregateOf, inSubquery, select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";

/** A page begins after at most so many accounts. */
const maxRankingOffset = 10_000;

const { accountId, day, event } = usageDays;
const eventInput = textInput("event");
const count = integerSum(usageDays.count);
/** The accounts one by one, because the index has the days of each account. */
const isOfAnyAccount = either({
  sqlite: inSubquery({ from: accounts, key: accounts.id, column: accountId, where: undefined }),
  postgres: sql`${accountId} = any(array${aggregateOf(sql`${accounts.id}`, { from: accounts, where: undefined })})`,
});
const rankedAccounts = select("usageRanking.accounts", {
  fields: { accountId, count, lastAt: max(usageDays.lastAt), total: sql<number>`count(*) over ()` },
  from: usageDays,
  where: allOf(
    isOfAnyAccount,
    gte(day, integerInput("from")),
    lte(day, integerInput("to")),
    sql`(${eventInput} is null or ${event} = ${eventInput})`,
  ),
  groupBy: [accountId],
  orderBy: [desc(count), asc(accountId)],
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
