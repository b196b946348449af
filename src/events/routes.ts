import { deriveParsedBody, readUnvalidatedJson } from "../http/body.ts";
import { tenantRoutes, tenantRoutesWithBodyKey } from "../http/guard.ts";
import { replies } from "../http/replies.ts";
import { pageOf } from "../http/shapes.ts";
import { EventsBody, eventsMembers, readEvents, readSegmentBatch, UnmatchedListQuery } from "./input.ts";
import { presentUnmatched, ReceiptReply, SegmentBody, UnmatchedPage } from "./model.ts";
import { unmatchedList } from "./pending.ts";
import { receiveEvents } from "./store.ts";

const tags = ["Events"];
/** An event that is nested too deep is refused by itself, so the body may be deeper. */
const maxDepth = 1_000;
const response = replies({ 200: ReceiptReply }, 400, 401, 413, 415, 500, 503);
const outcomes =
  "All in one transaction, answered when it is on the disk. Each event has its own outcome: a bad one never spoils the others. An event whose `externalId` no account has is parked for 30 days, and counted when an account takes the id. At most 1,000 events and 1 MiB; an event at most 32 KiB.";

/** The way in of Segment's SDKs. */
export const segmentRoutes = tenantRoutesWithBodyKey().post(
  "/v1/batch",
  async ({ tenant, parsedBody }) => {
    const candidates = readSegmentBatch(parsedBody, tenant.now);
    return { data: await tenant.write((tx) => receiveEvents(tx, candidates)) };
  },
  {
    parse: readUnvalidatedJson({ maxDepth }),
    body: SegmentBody,
    response,
    detail: {
      tags,
      operationId: "sendSegmentBatch",
      summary: "Send a Segment batch",
      description: `Where Segment's SDKs send to, with this service as host and a key as write key, which may stand in the body as \`writeKey\` instead of a header. A \`track\` call is an event of the account whose \`externalId\` its group is; every other call is ignored. ${outcomes}`,
    },
  },
);

/** Receives product-usage events. */
export const eventRoutes = tenantRoutes("/api/v1/events")
  .derive(deriveParsedBody)
  .post(
    "",
    async ({ tenant, parsedBody }) => {
      const candidates = readEvents(parsedBody, tenant.now);
      return { data: await tenant.write((tx) => receiveEvents(tx, candidates)) };
    },
    {
      parse: readUnvalidatedJson({ maxDepth, validMembers: eventsMembers }),
      body: EventsBody,
      response,
      detail: {
        tags,
        operationId: "sendEvents",
        summary: "Send usage events",
        description: `One event, a list in \`events\`, or a Segment batch. ${outcomes}`,
      },
    },
  );

/** Lists the external ids of pending events. */
export const unmatchedRoutes = tenantRoutes("/api/v1/events").get(
  "/unmatched",
  async ({ tenant, query }) => {
    await tenant.runJob("pending events");
    const { rows, pagination } = await tenant.read((snapshot) =>
      unmatchedList.read(snapshot, { ...query, ...pageOf(query) }),
    );
    return { data: rows.map(presentUnmatched), pagination };
  },
  {
    query: UnmatchedListQuery,
    response: replies({ 200: UnmatchedPage }, 400, 401, 500, 503),
    detail: {
      tags,
      operationId: "listUnmatchedIds",
      summary: "List external ids that no account has",
      description:
        "A page of the ids that parked events name, how many events wait for each, and of what time they are. An id leaves the list when an account takes it, or when its last event has waited for 30 days.",
    },
  },
);
