import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { daysBetween } from "../../days.ts";
import { formatCount } from "../../format.ts";
import { account } from "../../messages/messages.ts";

type UsageRow = components["schemas"]["UsageDay"];

/** Rows to read at most: 365 days of 50 events. */
const maxRows = 20_000;

/** The rows up to a day. `isCut`: the rows of later days, or of this day, are too many. */
type CompleteRows<Row> = { rows: Row[]; isCut: boolean };

/** Reads rows in the order of their days. Of too many rows, returns the rows of the complete days. */
export async function readCompleteDays<Row extends { day: string }>(
  rows: AsyncIterable<Row>,
  maxCount = maxRows,
): Promise<CompleteRows<Row>> {
  const read: Row[] = [];
  for await (const row of rows) {
    if (read.length === maxCount) return { rows: read.filter(({ day }) => day < row.day), isCut: true };
    read.push(row);
  }
  return { rows: read, isCut: false };
}

type EventSeries = { name: string; color: string; values: number[] };

export type UsageSeries = { days: string[]; events: EventSeries[]; users: EventSeries[] };

const maxEvents = 5;
const maxNameLength = 40;

/**
 * The most frequent events as series by day, and the others in one. Users are counted for one event: their numbers cannot
 * be added up, because one user can have several events.
 */
export function usageSeries(rows: readonly UsageRow[], from: string, to: string): UsageSeries {
  const days = daysBetween(from, to);
  const byEvent = Map.groupBy(rows, ({ event }) => event);
  const ranked = [...byEvent]
    .map(([event, items]) => ({ event, items, count: items.reduce((sum, item) => sum + item.count, 0) }))
    .sort((a, b) => b.count - a.count || (a.event < b.event ? -1 : 1));
  const top = ranked.slice(0, maxEvents);
  const others = ranked.slice(maxEvents);
  const seriesOf = (member: "count" | "users") =>
    top.map(({ event, items }, i): EventSeries => {
      const name = event.length > maxNameLength ? `${event.slice(0, maxNameLength)}…` : event;
      return { name, color: `--series-${i + 1}`, values: valuesOf(days, items, member) };
    });
  const rest = others.flatMap(({ items }) => items);
  const other: EventSeries = {
    name: account.usage.others(formatCount(others.length)),
    color: "--series-6",
    values: valuesOf(days, rest, "count"),
  };
  return {
    days,
    events: [...seriesOf("count"), ...(rest.length > 0 ? [other] : [])],
    users: seriesOf("users"),
  };
}

/** The sums of a member of the rows by day. */
export function valuesOf<Member extends "count" | "users">(
  days: readonly string[],
  rows: readonly ({ day: string } & Record<Member, number>)[],
  member: Member,
): number[] {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(row.day, (sums.get(row.day) ?? 0) + row[member]);
  return days.map((day) => sums.get(day) ?? 0);
}
