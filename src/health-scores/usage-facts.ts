import { and, count, eq, gte, lt, lte, max, sql } from "drizzle-orm";
import { inputs, integerInput, integerSum, isInJson, textInput } from "../../db/expressions.ts";
import { accounts, usageDays, usageTotals } from "../../db/schema.ts";
import { aggregateOf, insert, select } from "../core/tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/tenant.ts";
import { dayOf } from "../core/timestamps.ts";
import { type HealthFacts, scoredDays } from "./score.ts";

/** The rows of a day from which on its total is stored. */
const minStoredRows = 100;

const asOf = integerInput("asOf");
const [firstDay, lastDay] = [integerInput("firstDay"), integerInput("lastDay")];
/** When a day had its last event. A last event after `asOf` is replaced by the day's first one. */
const lastEventAt = sql<number>`max(case when ${usageDays.lastAt} <= ${asOf} then ${usageDays.lastAt} else ${usageDays.firstAt} end)`;
const isInRange = and(
  isInJson(usageDays.accountId, textInput("accountIds")),
  gte(usageDays.day, firstDay),
  lte(usageDays.day, lastDay),
  lte(usageDays.firstAt, asOf),
);
const days = select("scoreInputs.days", {
  fields: {
    accountId: usageDays.accountId,
    day: usageDays.day,
    count: integerSum(usageDays.count),
    lastAt: lastEventAt,
    rowCount: count(),
  },
  from: usageDays,
  where: isInRange,
  groupBy: [usageDays.accountId, usageDays.day],
  scanned: select("scoreInputs.daysScanned", {
    fields: { day: usageDays.day },
    from: usageDays,
    where: isInRange,
    paged: true,
  }).statement,
  isIndexOnly: true,
});
const storedTotals = select("scoreInputs.storedDays", {
  fields: {
    accountId: usageTotals.accountId,
    day: usageTotals.day,
    count: usageTotals.count,
    lastAt: usageTotals.lastAt,
  },
  from: usageTotals,
  where: and(
    isInJson(usageTotals.accountId, textInput("accountIds")),
    gte(usageTotals.day, firstDay),
    lte(usageTotals.day, lastDay),
    lt(usageTotals.day, integerInput("today")),
  ),
});
const hasEvents = and(
  eq(usageDays.accountId, accounts.id),
  lte(usageDays.day, lastDay),
  lte(usageDays.firstAt, asOf),
);
const newestDay = aggregateOf(max(usageDays.day), { from: usageDays, where: hasEvents });
const ofNewestDay = {
  from: usageTotals,
  where: and(eq(usageTotals.accountId, accounts.id), eq(usageTotals.day, newestDay)),
};
/** When an account had its last event up to `asOf`, on a day up to `lastDay`. */
export const lastEventOfAccount = sql<
  number | null
>`coalesce(${aggregateOf(max(usageTotals.lastAt), ofNewestDay)}, ${aggregateOf(lastEventAt, { from: usageDays, where: and(hasEvents, eq(usageDays.day, newestDay)) })})`;
const lastEvents = select("scoreInputs.lastEvents", {
  fields: { accountId: accounts.id, at: lastEventOfAccount },
  from: accounts,
  where: isInJson(accounts.id, textInput("accountIds")),
});
const insertTotal = insert("usageTotals.insert", {
  into: usageTotals,
  values: inputs(usageTotals, "accountId", "day", "count", "lastAt"),
});

/** `rowCount` is absent when the total was read from `usage_totals`. */
type RecentDay = { accountId: number; day: number; count: number; lastAt: number; rowCount?: number };
export type UsageFacts = Pick<HealthFacts, "lastEventAt"> & { usage: RecentDay[] };

/** Reads the usage of accounts up to `asOf` (ms since 1970 UTC), by account id, the newest day first. */
export async function readUsage(
  snapshot: TenantSnapshot,
  ids: readonly number[],
  asOf: number,
): Promise<Map<number, UsageFacts>> {
  const today = dayOf(asOf);
  const range = { asOf, today, firstDay: today - scoredDays + 1, lastDay: today };
  const daysOf = Map.groupBy(await readDays(snapshot, ids, range), ({ accountId }) => accountId);
  const usage = new Map<number, UsageFacts>();
  for (const [id, accountDays] of daysOf) {
    accountDays.sort((a, b) => b.day - a.day);
    usage.set(id, { usage: accountDays, lastEventAt: accountDays[0]?.lastAt ?? null });
  }
  const idsWithoutUsage = ids.filter((id) => !daysOf.has(id));
  if (idsWithoutUsage.length === 0) return usage;
  const last = await snapshot.all(lastEvents, { ...range, accountIds: JSON.stringify(idsWithoutUsage) });
  for (const { accountId, at } of last) usage.set(accountId, { usage: [], lastEventAt: at });
  return usage;
}

type DayRange = { asOf: number; today: number; firstDay: number; lastDay: number };

/** The days of a range: from the stored totals of complete days where there are any, otherwise from their rows. */
async function readDays(
  snapshot: TenantSnapshot,
  ids: readonly number[],
  range: DayRange,
): Promise<RecentDay[]> {
  const totalsByAccount = Map.groupBy(
    await snapshot.all(storedTotals, { ...range, accountIds: JSON.stringify(ids) }),
    ({ accountId }) => accountId,
  );
  const recentDays: RecentDay[] = [];
  const idsWithoutTotals = ids.filter((id) => !totalsByAccount.has(id));
  if (idsWithoutTotals.length > 0)
    recentDays.push(
      ...(await snapshot.all(days, { ...range, accountIds: JSON.stringify(idsWithoutTotals) })),
    );
  const parts = [...totalsByAccount].flatMap(([id, totals]) => {
    recentDays.push(...totals);
    const accountIds = JSON.stringify([id]);
    const storedDays = totals.map(({ day }) => day);
    return gapsBetween(storedDays, range).map((gap) => snapshot.all(days, { ...range, ...gap, accountIds }));
  });
  recentDays.push(...(await Promise.all(parts)).flat());
  return recentDays;
}

/** The ranges of consecutive days of a range that are not among `daysToSkip`. */
function gapsBetween(daysToSkip: number[], { firstDay, lastDay }: DayRange) {
  const gaps: { firstDay: number; lastDay: number }[] = [];
  let next = firstDay;
  for (const day of [...daysToSkip.sort((a, b) => a - b), lastDay + 1]) {
    if (day > next) gaps.push({ firstDay: next, lastDay: day - 1 });
    next = day + 1;
  }
  return gaps;
}

/** Stores the totals of complete days that have many rows. `usage` is read in this transaction. */
export async function storeTotals(tx: TenantTransaction, usage: readonly RecentDay[]): Promise<void> {
  for (const { accountId, day, count, lastAt, rowCount = 0 } of usage)
    if (rowCount >= minStoredRows && day < dayOf(tx.now))
      await tx.run(insertTotal, { accountId, day, count, lastAt });
}
