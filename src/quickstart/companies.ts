import { millisecondsOfDay as day, dayOf, formatDay } from "../core/timestamps.ts";
import { CsvReader } from "../shared/imports/csv.ts";
import { owners } from "./names.ts";
import { Random } from "./random.ts";
import rows from "./sp500.csv" with { type: "text" };

/**
 * How the use of the product develops. `share`: of the companies. `slope`: the part of the mean use that is added within
 * 45 days. `stopped`: between how many days ago the use ended.
 */
type Habit = {
  name: "steady" | "growing" | "declining" | "falling" | "stopped" | "left" | "silent";
  share: number;
  slope: number;
  stopped?: readonly [min: number, max: number];
};
const steady: Habit = { name: "steady", share: 0.36, slope: 0.1 };
const habits: readonly Habit[] = [
  steady,
  { name: "growing", share: 0.2, slope: 0.9 },
  { name: "declining", share: 0.14, slope: -0.75 },
  { name: "falling", share: 0.08, slope: -0.1, stopped: [5, 10] },
  { name: "stopped", share: 0.1, slope: -0.5, stopped: [14, 45] },
  { name: "left", share: 0.07, slope: -0.7, stopped: [25, 80] },
  { name: "silent", share: 0.05, slope: 0, stopped: [400, 400] },
];

/** A sample company with the values that its history is generated from. `createdAt` is in milliseconds since 1970 UTC. */
export type Company = {
  /** 0 until its account is created. */
  accountId: number;
  externalId: string;
  name: string;
  mrr: number;
  attributes: { plan: string; owner: string; industry: string; renewalDate: string };
  createdAt: number;
  habit: Habit["name"];
  slope: number;
  /** The number of days since the last event: 0 while the product is used. */
  stoppedDaysAgo: number;
  random: Random;
};

/** The companies of the file, with values that depend on their symbol and on `now` only. */
export function readCompanies(now: number): Company[] {
  const [header, ...records] = new CsvReader(",").read(rows, { isEnd: true });
  return records.map(({ cells }, i) => {
    const cell = (column: string) => cells[header?.cells.indexOf(column) ?? -1] ?? "";
    const externalId = cell("Symbol");
    const random = new Random(externalId);
    // Log-normal: many small customers, and a few large ones.
    const revenue = 1800 * Math.exp(1.15 * random.normal());
    const mrr = Math.round(Math.min(40_000, Math.max(200, revenue)) / 10) * 10;
    const ageDays = 395 - ((Number(cell("CIK")) + i) % 360) * 1.095;
    // The use of a new customer has not stopped.
    const { name: habit, slope, stopped } = habitAt(random.next() * (ageDays < 90 ? 0.6 : 1));
    return {
      accountId: 0,
      externalId,
      name: cell("Security"),
      mrr,
      attributes: {
        plan: planOf(mrr),
        owner: random.item(owners),
        industry: cell("GICS Sector"),
        renewalDate: formatDay(dayOf(now) + random.integer(5, 360)),
      },
      createdAt: Math.floor(now - ageDays * day) + i * 1000,
      habit,
      slope,
      stoppedDaysAgo: stopped ? random.integer(...stopped) : 0,
      random,
    };
  });
}

/** The habit at a position from 0 to below 1 among all companies. */
function habitAt(position: number): Habit {
  let end = 0;
  const isAt = ({ share }: Habit) => {
    end += share;
    return position < end;
  };
  return habits.find(isAt) ?? steady;
}

function planOf(mrr: number): string {
  if (mrr < 1000) return "Starter";
  return mrr < 6000 ? "Growth" : "Enterprise";
}

/** Whether a day since 1970 is a Saturday or a Sunday. 1 January 1970 was a Thursday. */
export function isWeekend(day: number): boolean {
  return day % 7 === 2 || day % 7 === 3;
}

/** A day since 1970, or the Friday before it if it is at a weekend. */
export function weekdayAt(day: number): number {
  return isWeekend(day) ? day - (day % 7) + 1 : day;
}
