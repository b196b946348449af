import { and, asc, gt, gte, lte, sql } from "drizzle-orm";
import { integerInput, integerSum, isInJson, textInput } from "../../db/expressions.ts";
import { FirstRows } from "../../db/first-rows.ts";
import { accounts, usageDays } from "../../db/schema.ts";
import { offsetOf, type PageRequest, type Pagination, paginationOf } from "../core/paging.ts";
import type { TenantSnapshot } from "../core/tenant.ts";
import { select } from "../core/tenant-statements.ts";

/** Accounts of the first step. */
const firstStepSize = 10;
const maxStepSize = 1_000;
/** The factor by which the number of accounts may grow from one step to the next. */
const maxGrowth = 4;
/** Rows that a step is to read: about 10 ms with SQLite. */
const targetRowCount = 20_000;

const accountsAfter = select("usageRanking.accounts", {
  fields: { id: accounts.id },
  from: accounts,
  where: gt(accounts.id, integerInput("lastId")),
  orderBy: [asc(accounts.id)],
  paged: true,
  scanned: select("usageRanking.accounts.scanned", {
    fields: { id: accounts.id },
    from: accounts,
    paged: true,
  }).statement,
});
const areAccounts = isInJson(usageDays.accountId, textInput("accountIds"));
const inRange = and(
  areAccounts,
  gte(usageDays.day, integerInput("from")),
  lte(usageDays.day, integerInput("to")),
);
const event = textInput("event");
const isCounted = sql`(${event} is null or ${usageDays.event} = ${event})`;
const usageOfAccounts = select("usageRanking.usage", {
  fields: {
    accountId: usageDays.accountId,
    count: sql<number | null>`${integerSum(sql`case when ${isCounted} then ${usageDays.count} end`)}`,
    lastAt: sql<number | null>`max(case when ${isCounted} then ${usageDays.lastAt} end)`,
    rowCount: sql<number>`count(*)`,
  },
  from: usageDays,
  where: inRange,
  groupBy: [usageDays.accountId],
  scanned: select("usageRanking.usage.scanned", {
    fields: { day: usageDays.day },
    from: usageDays,
    where: inRange,
    paged: true,
  }).statement,
});
const namesOf = select("usageRanking.names", {
  fields: { id: accounts.id, name: accounts.name, externalId: accounts.externalId },
  from: accounts,
  where: isInJson(accounts.id, textInput("accountIds")),
});

type CountedUsage = { accountId: number; count: number; lastAt: number };
/** An account with its number of events and the time of the last one, in milliseconds since 1970 UTC. */
export type RankedAccount = CountedUsage & { name: string; externalId: string | null };
/** UTC days, in days since 1970, both included. `event` null: all events. */
export type RankingRequest = PageRequest & { from: number; to: number; event: string | null };

/**
 * A page of the accounts with events in a range of days, the most events first; ties are ordered by id. Reads the usage
 * of all accounts in this range, in steps of some milliseconds.
 */
export async function rankAccounts(
  snapshot: TenantSnapshot,
  { page, pageSize, from, to, event }: RankingRequest,
): Promise<{ rows: RankedAccount[]; pagination: Pagination }> {
  const offset = offsetOf({ page, pageSize });
  const compare = (a: CountedUsage, b: CountedUsage) => b.count - a.count || a.accountId - b.accountId;
  const first = new FirstRows<CountedUsage>(offset + pageSize, compare);
  let total = 0;
  let stepSize = firstStepSize;
  let lastId: number | undefined = 0;
  while (lastId !== undefined) {
    const found: { id: number }[] = await snapshot.all(accountsAfter, { lastId, limit: stepSize, offset: 0 });
    const ids = found.map(({ id }) => id);
    const accountIds = JSON.stringify(ids);
    const usage = await snapshot.all(usageOfAccounts, { accountIds, from, to, event });
    const counted = usage.flatMap(({ accountId, count, lastAt }) =>
      count === null || lastAt === null ? [] : [{ accountId, count, lastAt }],
    );
    total += counted.length;
    first.add(counted.sort(compare));
    lastId = ids.length < stepSize ? undefined : ids.at(-1);
    const rowCount = usage.reduce((sum, row) => sum + row.rowCount, 0);
    stepSize = nextStepSize(stepSize, rowCount);
  }
  const ranked = first.rows.slice(offset);
  return { rows: await withNames(snapshot, ranked), pagination: paginationOf({ page, pageSize }, total) };
}

/** The number of accounts of the next step, after one that read `rowCount` rows. */
function nextStepSize(stepSize: number, rowCount: number): number {
  const factor = rowCount === 0 ? maxGrowth : Math.min(maxGrowth, targetRowCount / rowCount);
  return Math.min(maxStepSize, Math.max(1, Math.round(stepSize * factor)));
}

async function withNames(
  snapshot: TenantSnapshot,
  ranked: readonly CountedUsage[],
): Promise<RankedAccount[]> {
  const accountIds = JSON.stringify(ranked.map(({ accountId }) => accountId));
  const names = new Map((await snapshot.all(namesOf, { accountIds })).map(({ id, ...row }) => [id, row]));
  return ranked.flatMap((row) => {
    const account = names.get(row.accountId);
    return account ? [{ ...row, ...account }] : [];
  });
}
