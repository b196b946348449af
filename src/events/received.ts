import { asc, gt, gte, lt, lte, sql } from "drizzle-orm";
import { allOf, integerInput, pick, textInput } from "../../db/expressions.ts";
import { events } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { withoutDeleted } from "../core/attaching-events.ts";
import { type CursorPage, readCursorPage } from "../core/lists/cursor.ts";
import type { PageRequest } from "../core/lists/paging.ts";
import { idRangeFinder } from "../core/lists/time-ranges.ts";
import { maxScannedRows } from "../core/pauses.ts";
import { select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { REMEMBERED_CALL } from "./message-ids.ts";

const fields = {
  ...pick(events, "id", "accountId", "externalId", "messageId", "event", "timestamp", "userId"),
  ...pick(events, "properties", "receivedAt"),
};
export type ReceivedEventRow = Row<typeof fields>;

const [accountInput, eventInput] = [integerInput("accountId"), textInput("event")];
const received = select("events.received", {
  fields,
  from: events,
  where: allOf(
    gt(events.id, integerInput("after")),
    lte(events.id, integerInput("upTo")),
    gte(events.receivedAt, integerInput("from")),
    lt(events.receivedAt, integerInput("to")),
    sql`${events.event} <> ${sql.raw(`'${REMEMBERED_CALL}'`)}`,
    sql`(${eventInput} is null or ${events.event} = ${eventInput})`,
    sql`(${accountInput} is null or ${events.accountId} = ${accountInput})`,
  ),
  orderBy: [asc(events.id)],
  paged: true,
});
const findReceipts = idRangeFinder("events", { from: events, id: events.id, at: events.receivedAt });
const idsAfter = select("events.idsAfter", {
  fields: { id: events.id },
  from: events,
  where: gt(events.id, integerInput("after")),
  orderBy: [asc(events.id)],
  paged: true,
});

/** Times of receipt in milliseconds since 1970 UTC, the second one excluded. Null: any. */
export type EventFilters = {
  from: number | null;
  to: number | null;
  event: string | null;
  accountId: number | null;
};

/**
 * A page of the events that were received in a range of times, in the order of receipt. It reads a bounded number of
 * events, so that it can have few or none although later ones match.
 */
export function readReceivedEvents(
  snapshot: TenantSnapshot,
  filters: EventFilters,
  page: PageRequest,
): Promise<CursorPage<ReceivedEventRow>> {
  const { from, to } = filters;
  const times = { from: from ?? Number.MIN_SAFE_INTEGER, to: to ?? Number.MAX_SAFE_INTEGER };
  let upTo = 0;
  let end: number | undefined;
  return readCursorPage<ReceivedEventRow>(snapshot, page, {
    query: ["events", filters],
    positionOf: ({ id }) => [id, upTo],
    readAfter: async (position, limit) => {
      const [after = 0, last = 0] = position?.map(Number) ?? (await findReceipts(snapshot, filters));
      upTo = last;
      const [next] = await snapshot.all(idsAfter, { after, limit: 1, offset: maxScannedRows - 1 });
      end = next && next.id < upTo ? next.id : undefined;
      const range = { after, upTo: end ?? upTo, limit, offset: 0 };
      const rows = await snapshot.all(received, { ...filters, ...times, ...range });
      if (rows.length === limit) end = rows.at(-1)?.id;
      return withoutDeleted(snapshot, rows);
    },
    endOfRead: () => (end === undefined ? undefined : [end, upTo]),
  });
}
