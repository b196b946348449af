import { deriveParsedBody, readUnvalidatedJson } from "../http/body/body.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { listReply } from "../http/replies/list-replies.ts";
import { replies } from "../http/replies/replies.ts";
import { ok, write } from "../http/resource/write.ts";
import { WriteQuery, writeReplies } from "../http/resource/write-schemas.ts";
import { pageOf } from "../http/validation/list-shapes.ts";
import {
  EventListQuery,
  EventsBody,
  eventsMembers,
  maxBodyDepth,
  readEventFilters,
  readEvents,
  UnmatchedListQuery,
} from "./input.ts";
import { EventPage, presentEvent, presentUnmatched, ReceiptReply, UnmatchedPage } from "./model.ts";
import { unmatchedList } from "./pending.ts";
import { readReceivedEvents } from "./received.ts";
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

/** Lists events, and the external ids of pending ones. */
export const eventListRoutes = tenantRoutes("/api/v1/events")
  .get(
    "",
    async ({ tenant, query, request, set }) => {
      const filters = readEventFilters(query);
      const page = pageOf({ ...query, cursor: query.cursor ?? "" });
      const found = await tenant.readList({ cursor: page.cursor, place: "reader" }, (snapshot) =>
        readReceivedEvents(snapshot, filters, page),
      );
      return listReply({ request, set }, found.rows.map(presentEvent), found);
    },
    {
      query: EventListQuery,
      response: replies({ 200: EventPage }, 400, 401, 500, 503),
      detail: readDetail(
        "listEvents",
        "List events",
        "Returns a page of the received events, in the order of receipt, for at least 35 days after the receipt. A pending event has no `accountId`; after 30 days it has no `externalId`, either. A page reads at most 10,000 events, so it can have few or none although later ones match: continue while `hasNextPage` is true.",
      ),
    },
  )
  .get(
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
