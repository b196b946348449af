import { asc, desc, gte } from "drizzle-orm";
import { minJumpMilliseconds } from "../../../db/clock.ts";
import { type Column, integerInput } from "../../../db/expressions.ts";
import { select, type TenantStatement, type TenantTable } from "../tenant/statements.ts";
import type { TenantSnapshot } from "../tenant/transaction.ts";

/** A row of a table in the order of time: its id in this order, and its time in milliseconds since 1970 UTC. */
type RowTime = { id: number; at: number };
type TimedTable = {
  /** The first row whose id is at least `id`. */
  readFrom: (id: number) => Promise<RowTime | undefined>;
  readLast: () => Promise<RowTime | undefined>;
};

/** Parts into which a range of ids is divided: many, so that a time when the clock was ahead is seen. */
const partCount = 32;

/** Times in milliseconds since 1970 UTC, the second one excluded. Null: any. */
export type TimeRange = { from: number | null; to: number | null };
/** The first and the last row of a range of ids. */
type RowRange = readonly [RowTime, RowTime];

/** A range of ids: `[after, upTo]`. */
type IdRange = readonly [after: number, upTo: number];

/**
 * Returns a function that finds a range of ids that has the rows of a range of times. `at` is a column of timestamps. They
 * are in the order of ids, up to an hour, except where the clock was set back by more.
 */
export function idRangeFinder(name: string, { from, id, at }: { from: TenantTable; id: Column; at: Column }) {
  const plan = { fields: { id, at }, from, paged: true };
  const where = gte(id, integerInput("id"));
  // Safe: both columns are integers that are not null.
  const [timesFrom, newestTime] = [
    select(`${name}.timesFrom`, { ...plan, where, orderBy: [asc(id)] }),
    select(`${name}.newestTime`, { ...plan, orderBy: [desc(id)] }),
  ] as unknown as [TenantStatement<RowTime>, TenantStatement<RowTime>];
  const one = { limit: 1, offset: 0 };
  return (snapshot: TenantSnapshot, range: TimeRange): Promise<IdRange> =>
    findIdRange(
      {
        readFrom: async (id) => (await snapshot.all(timesFrom, { id, ...one }))[0],
        readLast: async () => (await snapshot.all(newestTime, one))[0],
      },
      range,
    );
}

async function findIdRange(table: TimedTable, range: TimeRange): Promise<IdRange> {
  const [first, last] = await Promise.all([table.readFrom(0), table.readLast()]);
  if (!first || !last) return [0, 0];
  const whole: RowRange = [first, last];
  const choose = (side: "find" | "findLast") =>
    chooseRange(whole, async (part) => (await divide(table, part))[side]((part) => canHave(part, range)));
  const begin = range.from === null ? whole : await choose("find");
  const end = range.to === null ? whole : await choose("findLast");
  if (!begin || !end) return [0, 0];
  // Later rows can belong to the last part.
  return [begin[0].id - 1, end[1].id === last.id ? Number.MAX_SAFE_INTEGER : end[1].id];
}

/** Chooses smaller and smaller parts, until the next one is not half as large. Undefined if the whole has no part to choose. */
async function chooseRange(
  whole: RowRange,
  choose: (part: RowRange) => Promise<RowRange | undefined>,
): Promise<RowRange | undefined> {
  let chosen: RowRange | undefined;
  for (let part: RowRange = whole; ; ) {
    const next = await choose(part);
    if (!next) return chosen;
    chosen = next;
    if (sizeOf(next) * 2 >= sizeOf(part)) return chosen;
    part = next;
  }
}

function sizeOf([low, high]: RowRange): number {
  return high.id - low.id;
}

/** Parts of about the same number of ids. */
async function divide({ readFrom }: TimedTable, [low, high]: RowRange): Promise<RowRange[]> {
  const ids = Array.from({ length: partCount - 1 }, (_, i) =>
    Math.floor(low.id + (sizeOf([low, high]) * (i + 1)) / partCount),
  );
  const starts = [low, ...(await Promise.all(ids.map(readFrom))).filter((row) => row !== undefined)];
  return starts.map((start, i): RowRange => [start, starts[i + 1] ?? high]);
}

/** Whether the rows between two can have times in the range. */
function canHave([low, high]: RowRange, { from, to }: TimeRange): boolean {
  const [begin, end] = [low.at - minJumpMilliseconds, high.at + minJumpMilliseconds];
  const isSetBack = high.at < begin;
  return isSetBack || ((to === null || begin < to) && (from === null || end >= from));
}
