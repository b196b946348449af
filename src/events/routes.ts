import { deriveParsedBody, readUnvalidatedJson } from "../http/body/body.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { listReply } from "../http/replies/list-replies.ts";
import { replies } from "../http/replies/replies.ts";
import { ok, write } from "../http/resource/write.ts";
import { WriteQuery, writeReplies } from "../http/resource/write-schemas.ts";
import { pageOf } from "../http/validation/list-shapes.ts";
import { EventsBody, eventsMembers, maxBodyDepth, readEvents, UnmatchedListQuery } from "./input.ts";
import { presentUnmatched, ReceiptReply, UnmatchedPage } from "./model.ts";
import { unmatchedList } from "./pending.ts";
import { receiveEvents } from "./store.ts";

const detail = detailOf("Events", "events");
const readDetail = detailOf("Events", "read");
const response = writeReplies({ 200: ReceiptReply }, [], 400, 401, 413, 415, 500, 503);
/** The part of a description that all operations on events share. */
export const outcomes =
  "All events are stored in one transaction. An event that is rejected does not affect the others; `items` has the reason. An event whose `externalId` no account has is pending for 30 days, and counted as soon as an account gets this id; more than 2,000 events of all accounts of a request are counted in steps. At most 1,000 events and 1 MiB; at most 32 KiB for an event.";

/** Receives product-usage events. */
export const eventRoutes = tenantRoutes("/api/v1/events")
  .derive(deriveParsedBody)
  .post(
    "",
    async ({ tenant, set, query, idempotency, parsedBody }) => {
      const candidates = await readEvents(parsedBody, tenant.now);
      return write({ tenant, set, query, idempotency }, async (tx) =>
        ok(await receiveEvents(tx, candidates)),
      );
    },
    {
      parse: readUnvalidatedJson({ maxDepth: maxBodyDepth, validMembers: eventsMembers }),
      query: WriteQuery,
      body: EventsBody,
      response,
      detail: detail(
        "sendEvents",
        "Send usage events",
        `One event, a list in \`events\`, or a Segment batch. ${outcomes}`,
      ),
    },
  );

/** Lists the external ids of pending events. */
export const unmatchedRoutes = tenantRoutes("/api/v1/events").get(
  "/unmatched",
  async ({ tenant, query, request, set }) => {
    await tenant.runJob("pending events");
    const page = await unmatchedList.readFor(tenant, { ...query, ...pageOf(query) });
    return listReply({ request, set }, page.rows.map(presentUnmatched), page);
  },
  {
    query: UnmatchedListQuery,
    response: replies({ 200: UnmatchedPage }, 400, 401, 500, 503),
    detail: readDetail(
      "listUnmatchedIds",
      "List external ids that no account has",
      "Returns a page of the external ids of pending events, with the number of the events and their first and last timestamp. An id leaves the list when an account gets it, or 30 days after its last event was received.",
    ),
  },
);
