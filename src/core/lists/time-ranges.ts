import { asc, desc, gte } from "drizzle-orm";
import { minJumpMilliseconds } from "../../../db/clock.ts";
import { type Column, integerInput } from "../../../db/expressions.ts";
import { select, type TenantStatement, type TenantTable } from "../tenant/statements.ts";
import type { TenantSnapshot } from "../tenant/transaction.ts";

/** A row of a table in the order of time: its id in this order, and its time in milliseconds since 1970 UTC. */
type RowTime = { id: number; at: number };
/** Reads the first row whose id is at least `id`. */
type ReadFrom = (id: number) => Promise<RowTime | undefined>;

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
  return async (snapshot: TenantSnapshot, range: TimeRange): Promise<IdRange> => {
    const readFrom: ReadFrom = async (id) => (await snapshot.all(timesFrom, { id, ...one }))[0];
    const [first, [last]] = await Promise.all([readFrom(0), snapshot.all(newestTime, one)]);
    if (!first || !last) return [0, 0];
    const whole: RowRange = [first, last];
    const begin = range.from === null ? whole : await findRows("find", readFrom, whole, range);
    const end = range.to === null ? whole : await findRows("findLast", readFrom, whole, range);
    if (!begin || !end) return [0, 0];
    // Later rows can belong to the last part.
    return [begin[0].id - 1, end[1].id === last.id ? Number.MAX_SAFE_INTEGER : end[1].id];
  };
}

/**
 * The first or the last part of the rows that can have times in the range. Each round divides the found part, until the
 * next one is not half as large. Undefined if no part can have them.
 */
async function findRows(
  side: "find" | "findLast",
  readFrom: ReadFrom,
  whole: RowRange,
  range: TimeRange,
): Promise<RowRange | undefined> {
  let found: RowRange | undefined;
  for (let part = whole; ; part = found) {
    const [low, high] = part;
    const size = high.id - low.id;
    const ids = Array.from({ length: partCount - 1 }, (_, i) =>
      Math.floor(low.id + (size * (i + 1)) / partCount),
    );
    const starts = [low, ...(await Promise.all(ids.map(readFrom))).filter((row) => row !== undefined)];
    const parts = starts.map((start, i): RowRange => [start, starts[i + 1] ?? high]);
    const next = parts[side]((part) => canHave(part, range));
    found = next ?? found;
    if (!next || !found || (next[1].id - next[0].id) * 2 >= size) return found;
  }
}

/** Whether the rows between two can have times in the range. */
function canHave([low, high]: RowRange, { from, to }: TimeRange): boolean {
  const [begin, end] = [low.at - minJumpMilliseconds, high.at + minJumpMilliseconds];
  const isSetBack = high.at < begin;
  return isSetBack || ((to === null || begin < to) && (from === null || end >= from));
}
