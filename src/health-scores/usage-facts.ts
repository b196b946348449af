import { and, count, desc, eq, gte, lt, lte, sql } from "drizzle-orm";
import { inputs, integerInput, integerSum } from "../../db/expressions.ts";
import { usageDays, usageTotals } from "../../db/schema.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant.ts";
import { insert, select } from "../core/tenant-statements.ts";
import { dayOf } from "../core/timestamps.ts";
import type { HealthFacts } from "./score.ts";

const windowDays = 28;
/** The rows of a day from which on its total is stored. */
const minStoredRows = 100;

const asOf = integerInput("asOf");
const [firstDay, lastDay] = [integerInput("firstDay"), integerInput("lastDay")];
const hasEvents = and(
  eq(usageDays.accountId, integerInput("accountId")),
  lte(usageDays.day, lastDay),
  lte(usageDays.firstAt, asOf),
);
const isInRange = and(hasEvents, gte(usageDays.day, firstDay));
const days = select("scoreInputs.days", {
  fields: {
    day: usageDays.day,
    count: integerSum(usageDays.count),
    // A last event after `asOf` is replaced by the day's first one.
    lastAt: sql<number>`max(case when ${usageDays.lastAt} <= ${asOf} then ${usageDays.lastAt} else ${usageDays.firstAt} end)`,
    rowCount: count(),
  },
  from: usageDays,
  where: isInRange,
  groupBy: [usageDays.day],
  orderBy: [desc(usageDays.day)],
  scanned: select("scoreInputs.daysScanned", {
    fields: { day: usageDays.day },
    from: usageDays,
    where: isInRange,
    paged: true,
  }).statement,
  isIndexOnly: true,
});
const newestDay = select("scoreInputs.newestDay", {
  fields: { day: usageDays.day },
  from: usageDays,
  where: hasEvents,
  orderBy: [desc(usageDays.day)],
  paged: true,
});
const storedTotals = select("scoreInputs.storedDays", {
  fields: { day: usageTotals.day, count: usageTotals.count, lastAt: usageTotals.lastAt },
  from: usageTotals,
  where: and(
    eq(usageTotals.accountId, integerInput("accountId")),
    gte(usageTotals.day, firstDay),
    lte(usageTotals.day, lastDay),
    lt(usageTotals.day, integerInput("today")),
  ),
  orderBy: [desc(usageTotals.day)],
});
const insertTotal = insert("usageTotals.insert", {
  into: usageTotals,
  values: inputs(usageTotals, "accountId", "day", "count", "lastAt"),
});

/** `rowCount` is absent when the total was read from `usage_totals`. */
type RecentDay = { day: number; count: number; lastAt: number; rowCount?: number };
type UsageFacts = Pick<HealthFacts, "lastEventAt"> & { usage: RecentDay[] };

/** The usage of an account up to `asOf` (milliseconds since 1970 UTC), the newest day first. */
export async function readUsage(
  snapshot: TenantSnapshot,
  accountId: number,
  asOf: number,
): Promise<UsageFacts> {
  const values = { accountId, asOf, today: dayOf(asOf) };
  const { today } = values;
  const usage = await readDays(snapshot, { ...values, firstDay: today - windowDays + 1, lastDay: today });
  if (usage[0]) return { usage, lastEventAt: usage[0].lastAt };
  const [newest] = await snapshot.all(newestDay, { ...values, lastDay: today, limit: 1, offset: 0 });
  if (!newest) return { usage, lastEventAt: null };
  const [last] = await readDays(snapshot, { ...values, firstDay: newest.day, lastDay: newest.day });
  return { usage, lastEventAt: last?.lastAt ?? null };
}

type DayRange = { accountId: number; asOf: number; today: number; firstDay: number; lastDay: number };

/** The days of a range: from the stored totals of complete days where there are any, otherwise from their rows. */
async function readDays(snapshot: TenantSnapshot, range: DayRange): Promise<RecentDay[]> {
  const stored: RecentDay[] = await snapshot.all(storedTotals, range);
  if (stored.length === 0) return snapshot.all(days, range);
  const storedDays = new Set(stored.map(({ day }) => day));
  for (let day = range.firstDay; day <= range.lastDay; day += 1)
    if (!storedDays.has(day))
      stored.push(...(await snapshot.all(days, { ...range, firstDay: day, lastDay: day })));
  return stored.sort((a, b) => b.day - a.day);
}

/** Stores the totals of complete days that have many rows. `usage` is read in this transaction. */
export async function storeTotals(
  tx: TenantTransaction,
  accountId: number,
  usage: readonly RecentDay[],
): Promise<void> {
  for (const { day, count, lastAt, rowCount = 0 } of usage)
    if (rowCount >= minStoredRows && day < dayOf(tx.now))
      await tx.run(insertTotal, { accountId, day, count, lastAt });
}
