import { dayOf, millisecondsOfDay, millisecondsOfMinute } from "../core/timestamps.ts";
import type { UsageEvent } from "../events/store.ts";
import type { ImportedDay } from "../imports/usage-days.ts";
import { type Company, isWeekend, weekdayAt } from "./companies.ts";
import { unmatchedIds } from "./names.ts";

/** The scores of 90 days depend on the usage of some days before. */
const usageDayCount = 97;
/** The product is used from 7:00 to 19:00 UTC. */
const [opening, openMinutes] = [7 * 60, 12 * 60];

/** The generated usage of a company: whole days as an import has them, and the latest events up to `now`. */
export function usageOf(company: Company, now: number): { days: ImportedDay[]; events: UsageEvent[] } {
  const today = dayOf(now);
  const first = Math.max(today - usageDayCount, dayOf(company.createdAt) + 1);
  const days: ImportedDay[] = [];
  const reportDay = company.random.integer(4, 6);
  for (let day = first; day <= today - company.stoppedDaysAgo; day += 1) {
    const views = viewsOn(company, day, today);
    const counts = {
      "dashboard.viewed": views,
      "report.exported": day % 7 === reportDay ? Math.ceil(views / 3) : 0,
    };
    for (const [event, count] of Object.entries(counts)) {
      const users = Math.ceil(count / 3);
      if (count > 0) days.push({ externalId: company.externalId, event, day, count, users });
    }
  }
  // An import has no time of the day, on which the scores of today depend.
  const isRecent = ({ day }: ImportedDay) => day >= weekdayAt(today - 1);
  const events = days.filter(isRecent).flatMap((day) => eventsOf(day, (k) => company.random.integer(0, k)));
  return {
    days: days.filter((day) => !isRecent(day)),
    events: events.filter(({ timestamp }) => timestamp <= now),
  };
}

/** Small customers use the product on some days only, and most customers not at the weekend. */
function viewsOn({ mrr, slope, random }: Company, day: number, today: number): number {
  const mean = 2 * Math.log(mrr / 150);
  const trend = 1 + (slope * (45 - (today - day))) / 45;
  const isUsed = random.next() < mean / 4;
  return isUsed ? Math.round(mean * trend * (0.8 + 0.4 * random.next()) * (isWeekend(day) ? 0.1 : 1)) : 0;
}

function eventsOf(
  { externalId, event, day, count, users }: ImportedDay,
  integerUpTo: (max: number) => number,
): UsageEvent[] {
  return Array.from({ length: count }, (_, k) => ({
    event,
    externalId,
    messageId: `${externalId}-${event}-${day}-${k + 1}`,
    timestamp: day * millisecondsOfDay + (opening + integerUpTo(openMinutes)) * millisecondsOfMinute,
    userId: `${externalId.toLowerCase()}-${(k % users) + 1}`,
    properties: null,
  }));
}

export function unmatchedEvents(now: number): UsageEvent[] {
  return unmatchedIds.flatMap((externalId, i) =>
    Array.from({ length: 12 - 4 * i }, (_, k) => ({
      event: "dashboard.viewed",
      externalId,
      messageId: `${externalId}-${k + 1}`,
      timestamp: now - (k + i) * 5 * 60 * millisecondsOfMinute,
      userId: `user-${(k % 3) + 1}`,
      properties: null,
    })),
  );
}
