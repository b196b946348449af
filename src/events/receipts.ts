import { asc, desc, gte } from "drizzle-orm";
import { minJumpMilliseconds } from "../../db/clock.ts";
import { integerInput, pick } from "../../db/expressions.ts";
import { events } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";

const fields = pick(events, "id", "receivedAt");
type ReceiptTime = Row<typeof fields>;

const receiptsFrom = select("events.receiptsFrom", {
  fields,
  from: events,
  where: gte(events.id, integerInput("id")),
  orderBy: [asc(events.id)],
  paged: true,
});
const newest = select("events.newest", { fields, from: events, orderBy: [desc(events.id)], paged: true });
const one = { limit: 1, offset: 0 };

/** Parts into which a range of ids is divided: many, so that a time when the clock was ahead is seen. */
const partCount = 32;

/** Times of receipt in milliseconds since 1970 UTC, the second one excluded. Null: any. */
type TimeRange = { from: number | null; to: number | null };
/** The first and the last receipt of a range of ids. */
type ReceiptRange = readonly [ReceiptTime, ReceiptTime];

/**
 * A range of ids that has the events of a range of times: `[after, upTo]`. Ids are in the order of receipt; times are,
 * too, up to an hour, except where the clock was set back by more.
 */
export async function findIdRange(
  snapshot: TenantSnapshot,
  range: TimeRange,
): Promise<readonly [after: number, upTo: number]> {
  const [[first], [last]] = await Promise.all([
    snapshot.all(receiptsFrom, { id: 0, ...one }),
    snapshot.all(newest, one),
  ]);
  if (!first || !last) return [0, 0];
  const whole: ReceiptRange = [first, last];
  const choose = (side: "find" | "findLast") =>
    chooseRange(whole, async (part) => (await divide(snapshot, part))[side]((part) => canHave(part, range)));
  const begin = range.from === null ? whole : await choose("find");
  const end = range.to === null ? whole : await choose("findLast");
  if (!begin || !end) return [0, 0];
  // Events that are received later can belong to the last part.
  return [begin[0].id - 1, end[1].id === last.id ? Number.MAX_SAFE_INTEGER : end[1].id];
}

/** Chooses smaller and smaller parts, until the next one is not half as large. Undefined if the whole has no part to choose. */
async function chooseRange(
  whole: ReceiptRange,
  choose: (part: ReceiptRange) => Promise<ReceiptRange | undefined>,
): Promise<ReceiptRange | undefined> {
  let chosen: ReceiptRange | undefined;
  for (let part: ReceiptRange = whole; ; ) {
    const next = await choose(part);
    if (!next) return chosen;
    chosen = next;
    if (sizeOf(next) * 2 >= sizeOf(part)) return chosen;
    part = next;
  }
}

function sizeOf([low, high]: ReceiptRange): number {
  return high.id - low.id;
}

/** Parts of about the same number of ids. */
async function divide(snapshot: TenantSnapshot, [low, high]: ReceiptRange): Promise<ReceiptRange[]> {
  const ids = Array.from({ length: partCount - 1 }, (_, i) =>
    Math.floor(low.id + (sizeOf([low, high]) * (i + 1)) / partCount),
  );
  const found = await Promise.all(ids.map((id) => snapshot.all(receiptsFrom, { id, ...one })));
  const starts = [low, ...found.flat()];
  return starts.map((start, i): ReceiptRange => [start, starts[i + 1] ?? high]);
}

/** Whether the events between two receipts can have times in the range. */
function canHave([low, high]: ReceiptRange, { from, to }: TimeRange): boolean {
  const [begin, end] = [low.receivedAt - minJumpMilliseconds, high.receivedAt + minJumpMilliseconds];
  const isSetBack = high.receivedAt < begin;
  return isSetBack || ((to === null || begin < to) && (from === null || end >= from));
}
