import { asc, desc, gte } from "drizzle-orm";
import { integerInput } from "../../db/expressions.ts";
import { events } from "../../db/schema.ts";
import { findIdRange, type TimeRange } from "../core/lists/time-ranges.ts";
import { select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";

const fields = { id: events.id, at: events.receivedAt };
const receiptsFrom = select("events.receiptsFrom", {
  fields,
  from: events,
  where: gte(events.id, integerInput("id")),
  orderBy: [asc(events.id)],
  paged: true,
});
const newest = select("events.newest", { fields, from: events, orderBy: [desc(events.id)], paged: true });
const one = { limit: 1, offset: 0 };

/** A range of ids that has the events that were received in a range of times: as `findIdRange`. */
export function findReceipts(
  snapshot: TenantSnapshot,
  range: TimeRange,
): Promise<readonly [after: number, upTo: number]> {
  return findIdRange(
    {
      readFrom: async (id) => (await snapshot.all(receiptsFrom, { id, ...one }))[0],
      readLast: async () => (await snapshot.all(newest, one))[0],
    },
    range,
  );
}
