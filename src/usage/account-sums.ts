import { and, asc, eq, gte, lte, sql } from "drizzle-orm";
import {
  allOf,
  compareColumns,
  integerInput,
  integerSum,
  isAfter,
  isInJson,
  textInput,
} from "../../db/expressions.ts";
import { usageDays } from "../../db/schema.ts";
import { select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/tenant.ts";

/** Rows that a statement sums at most: about 10 ms with SQLite. */
export const maxSummedRows = 20_000;

const { accountId, day, event } = usageDays;
const eventInput = textInput("event");
const isCounted = sql`(${eventInput} is null or ${event} = ${eventInput})`;
const sums = {
  count: sql<number | null>`${integerSum(sql`case when ${isCounted} then ${usageDays.count} end`)}`,
  lastAt: sql<number | null>`max(case when ${isCounted} then ${usageDays.lastAt} end)`,
  rowCount: sql<number>`count(*)`,
};

const inDays = and(
  isInJson(accountId, textInput("accountIds")),
  gte(day, integerInput("from")),
  lte(day, integerInput("to")),
);
const rowsOfAccounts = { fields: { day }, from: usageDays, where: inDays, paged: true } as const;
const usageOfAccounts = select("usageRanking.usage", {
  fields: { accountId, ...sums },
  from: usageDays,
  where: inDays,
  groupBy: [accountId],
  scanned: select("usageRanking.usage.scanned", rowsOfAccounts).statement,
});
const rowAfter = select("usageRanking.rowAfter", rowsOfAccounts);

const isOfAccount = eq(accountId, integerInput("accountId"));
const isAfterFirst = isAfter([day, event], [integerInput("afterDay"), textInput("afterEvent")], "asc");
const isUpToLast = compareColumns([day, event], "<=", [integerInput("lastDay"), textInput("lastEvent")]);
const inRange = allOf(isOfAccount, isAfterFirst, isUpToLast);
const usageOfRange = select("usageRanking.usageOfRange", {
  fields: sums,
  from: usageDays,
  where: inRange,
  scanned: select("usageRanking.usageOfRange.scanned", {
    fields: { day },
    from: usageDays,
    where: inRange,
    paged: true,
  }).statement,
});
const positionAfter = select("usageRanking.positionAfter", {
  fields: { day, event },
  from: usageDays,
  where: inRange,
  orderBy: [asc(day), asc(event)],
  paged: true,
});

/** UTC days, in days since 1970, both included. `event` null: all events. */
export type UsageRange = { from: number; to: number; event: string | null };
/** The number of an account's events, and the time of the last one, in milliseconds since 1970 UTC. */
export type AccountUsageSum = { accountId: number; count: number; lastAt: number };

/** Whether the accounts have more rows than one statement may sum. */
export async function hasManyRows(
  snapshot: TenantSnapshot,
  accountIds: readonly number[],
  { from, to }: UsageRange,
): Promise<boolean> {
  const values = { accountIds: JSON.stringify(accountIds), from, to, limit: 1, offset: maxSummedRows };
  return (await snapshot.all(rowAfter, values)).length > 0;
}

/** The usage of those accounts that have any, and the number of summed rows, for accounts without `hasManyRows`. */
export async function sumUsage(snapshot: TenantSnapshot, ids: readonly number[], range: UsageRange) {
  const rows = await snapshot.all(usageOfAccounts, { ...range, accountIds: JSON.stringify(ids) });
  const usage = rows.flatMap(({ accountId, count, lastAt }): AccountUsageSum[] =>
    count === null || lastAt === null ? [] : [{ accountId, count, lastAt }],
  );
  return { usage, rowCount: rows.reduce((sum, { rowCount }) => sum + rowCount, 0) };
}

/** The same for one account with any number of rows, in several statements. */
export async function sumUsageInParts(
  snapshot: TenantSnapshot,
  accountId: number,
  { from, to, event }: UsageRange,
) {
  // Names of events are not empty.
  const end = { day: to + 1, event: "" };
  const usage: AccountUsageSum = { accountId, count: 0, lastAt: 0 };
  let totalRowCount = 0;
  let after = { day: from, event: "" };
  for (let isMore = true; isMore; ) {
    const range = { accountId, event, afterDay: after.day, afterEvent: after.event };
    const page = { lastDay: end.day, lastEvent: end.event, limit: 1, offset: maxSummedRows - 1 };
    const [last] = await snapshot.all(positionAfter, { ...range, ...page });
    isMore = last !== undefined;
    after = last ?? end;
    const values = { ...range, lastDay: after.day, lastEvent: after.event };
    const { count, lastAt, rowCount = 0 } = (await snapshot.first(usageOfRange, values)) ?? {};
    usage.count += count ?? 0;
    usage.lastAt = Math.max(usage.lastAt, lastAt ?? 0);
    totalRowCount += rowCount;
  }
  return { usage: usage.count > 0 ? [usage] : [], rowCount: totalRowCount };
}
