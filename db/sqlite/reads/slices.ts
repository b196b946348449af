import type { Value, Values } from "../../engine.ts";
import { QueryTimeout } from "../../errors.ts";
import { FirstRows } from "../../first-rows.ts";
import type { Rendered } from "../../rendering.ts";
import type { Slices } from "../../statements.ts";
import { render } from "../prepared.ts";
import { compareRows } from "./order.ts";

type RenderedRange = { count: Rendered; rows: Rendered | undefined };
/** `Slices` for another thread. */
export type RenderedSlices = Pick<Slices, "isInOrder" | "isDescending"> &
  Record<"first" | "last" | "firstWithin" | "lastWithin" | "within", Rendered> &
  Record<"after" | "rowByKey", Rendered | undefined> & {
    keyRange: RenderedRange;
    valueRange: RenderedRange | undefined;
  };
type RunPart = (part: Rendered, values: Values) => Value[][];

/** Target time of one range. Uncached rows take longer. */
const targetMilliseconds = 10;
const defaultRowCounts = { first: 500, max: 100_000 };
/** The factor by which the row count may grow from one range to the next. */
const maxGrowth = 2;

/** Renders all parts. */
export function renderSlices(slices: Slices): RenderedSlices {
  const { isInOrder, isDescending, after, rowByKey, keyRange, valueRange } = slices;
  return {
    isInOrder,
    isDescending,
    first: render(slices.first),
    last: render(slices.last),
    firstWithin: render(slices.firstWithin),
    lastWithin: render(slices.lastWithin),
    within: render(slices.within),
    after: after && render(after),
    keyRange: renderRange(keyRange),
    valueRange: valueRange && renderRange(valueRange),
    rowByKey: rowByKey && render(rowByKey),
  };
}

function renderRange({ count, rows }: Slices["keyRange"]): RenderedRange {
  return { count: render(count), rows: rows && render(rows) };
}

type RunOptions = {
  /** A time of performance.now. */
  deadline: number;
  /** The rows of the first range, and of any range at most. */
  rowCounts?: typeof defaultRowCounts;
};

/** Runs a statement in parts, with the same result. Throws QueryTimeout when a part would begin after the deadline. */
export function runSlices(
  slices: RenderedSlices,
  values: Values,
  run: RunPart,
  options: RunOptions,
): Value[][] {
  const { rowByKey, isInOrder, isDescending } = slices;
  const [limit, offset] = [Number(values.limit), Number(values.offset)];
  const ranges = readRanges(slices, values, run, options);
  const countRows = ({ part, input }: Range) => Number(run(part.count, input)[0]?.[0]);
  if (!slices.keyRange.rows) return [[ranges.reduce((sum, range) => sum + countRows(range), 0)]];
  if (isInOrder) return readInOrder();
  const keys = sortKeys().map((row) => row.at(-1) ?? null);
  return rowByKey ? keys.flatMap((key) => run(rowByKey, { ...values, key })) : keys.map((key) => [key]);

  function readRows({ part: { rows }, input }: Range, page: Values): Value[][] {
    return rows ? run(rows, { ...input, ...page }) : [];
  }

  function readInOrder(): Value[][] {
    const page: Value[][] = [];
    let skip = offset;
    for (const range of ranges) {
      const count = skip > 0 ? countRows(range) : Number.POSITIVE_INFINITY;
      if (count <= skip) {
        skip -= count;
        continue;
      }
      page.push(...readRows(range, { limit: limit - page.length, offset: skip }));
      skip = 0;
      if (page.length >= limit) break;
    }
    return page;
  }

  /** The order columns of the page. */
  function sortKeys(): Value[][] {
    const compare = isDescending ? (a: Value[], b: Value[]) => compareRows(b, a) : compareRows;
    const count = offset + limit;
    const first = new FirstRows(count, compare);
    for (const range of ranges) first.add(readRows(range, { limit: count, offset: 0 }));
    return first.rows.slice(offset);
  }
}

type Range = { part: RenderedRange; input: Values };

/** The ranges, in the order of the page if it is that of the index. */
function* readRanges(
  slices: RenderedSlices,
  values: Values,
  run: RunPart,
  { deadline, rowCounts = defaultRowCounts }: RunOptions,
): Generator<Range> {
  const { within, after, keyRange, valueRange } = slices;
  const isReversed = slices.isInOrder && slices.isDescending;
  const rangeOf = (part: RenderedRange, value: Value, from: Value, to: Value): Range => {
    const [lower, upper] = isReversed ? [to, from] : [from, to];
    return { part, input: { ...values, value, lower, upper } };
  };
  const isAfterEnd = (position: Value[], end: Value[]) =>
    isReversed ? compareRows(position, end) < 0 : compareRows(position, end) > 0;
  const firstOf = (part: Rendered, value: Value) => run(part, { ...values, value, limit: 1, offset: 0 })[0];
  let start = firstOf(slices.first, null);
  const end = firstOf(slices.last, null);
  let rowCount = rowCounts.first;
  while (start && end) {
    const beganAt = performance.now();
    if (beganAt > deadline) throw new QueryTimeout("The read took too long.");
    const [value, key] = positionOf(start);
    const input = { ...values, value };
    const [stop, next] = run(within, { ...input, start: key, limit: 2, offset: rowCount - 1 });
    const isLast = value === positionOf(end)[0] && (!next || isAfterEnd(next, end));
    const stopAt: Value[] = isLast ? end : (stop ?? firstOf(slices.lastWithin, value) ?? end);
    yield rangeOf(keyRange, value, key, positionOf(stopAt)[1]);
    if (isLast) return;
    if (next) start = next;
    else if (after && valueRange) {
      const [position = end] = run(after, { ...input, limit: 1, offset: rowCount - 1 });
      const [nextValue] = positionOf(isAfterEnd(position, end) ? end : position);
      yield rangeOf(valueRange, null, value, nextValue);
      start = firstOf(slices.firstWithin, nextValue);
    }
    const factor = Math.min(maxGrowth, targetMilliseconds / (performance.now() - beganAt));
    rowCount = Math.min(rowCounts.max, Math.max(1, Math.round(rowCount * factor)));
  }
}

/** The first of two columns (null if there is one column), and the last column. */
function positionOf(position: Value[]): [value: Value, key: Value] {
  return [position.length > 1 ? (position[0] ?? null) : null, position.at(-1) ?? null];
}
