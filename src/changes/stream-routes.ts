import { lastSequence } from "../core/changes/account-changes.ts";
import type { Follower } from "../core/changes/followers.ts";
import { Problem } from "../core/errors.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { holdRequest } from "../http/held-requests.ts";
import { replies } from "../http/replies/replies.ts";
import { streamEndOf, streamText } from "../http/replies/stream-text.ts";
import { type ChangeFilter, matchesFilter } from "./filter.ts";
import { assertStored, followChanges, type SharedChanges } from "./follow.ts";
import { ChangeStreamQuery } from "./input.ts";
import { ChangeStreamReply } from "./model.ts";
import { type ChangeFormat, presenterOf } from "./present.ts";

/** After this time without an event, a comment keeps the connection open. */
const commentMilliseconds = 15_000;
/** A client that does not read the events of a page in this time is disconnected. */
const maxUnsentSeconds = 5;

const detail = detailOf("Changes", "read");

/** The server-sent events of changes (HTML Living Standard, 9.2). */
export const changeStreamRoutes = tenantRoutes("/api/v1").get(
  "/changes/stream",
  async ({ tenant, query, request, set, reportStreamError }) => {
    const { resource, action, format } = query;
    const start = readLastEventId(request.headers) ?? query.after;
    const follower = tenant.follow();
    try {
      const after = start === undefined ? await tenant.readOne(lastSequence) : Number(start);
      await assertStored(tenant, follower, after);
      holdRequest(request);
      set.headers["content-type"] = "text/event-stream";
      // A client without events yet connects again after this one.
      set.headers["last-event-id"] = String(after);
      // nginx would collect the events.
      set.headers["x-accel-buffering"] = "no";
      const parts = eventParts(tenant, follower, { after, filter: { resource, action }, format });
      const onUnsent = (isUnsent: boolean) => holdRequest(request, isUnsent ? maxUnsentSeconds : 0);
      const response = await streamText({ request, reportStreamError, onUnsent }, parts);
      streamEndOf(request)?.then(() => follower.end());
      return response;
    } catch (error) {
      follower.end();
      throw error;
    }
  },
  {
    query: ChangeStreamQuery,
    response: replies({ 200: ChangeStreamReply }, 400, 401, 410, 429, 500, 503),
    detail: detail(
      "streamChanges",
      "Stream changes",
      "Server-sent events: `id` is the `sequence` of a change, and `data` the change as in `GET /api/v1/changes`, or with `format=cloudevents` as an event of CloudEvents 1.0. The stream begins after `Last-Event-ID` or `after`, without either with the next change. A comment is sent every 15 seconds without an event. The stream ends when the key is revoked, the server stops, or the client does not read: connect again with the id of the last event as `Last-Event-ID`, as browsers do, or with the response header of this name before the first event. An organization has at most 250 streams and waiting requests.",
    ),
  },
);

/** The sequence number in the header that browsers send when they connect again. Throws `invalid_request`. */
function readLastEventId(headers: Headers): string | undefined {
  const id = headers.get("last-event-id");
  if (id === null || id === "") return undefined;
  if (/^(?:0|[1-9]\d*)$/.test(id) && Number.isSafeInteger(Number(id))) return id;
  throw new Problem("invalid_request", {
    errors: [{ header: "last-event-id", code: "wrong_type", detail: "must be the id of an event" }],
  });
}

async function* eventParts(
  tenant: Tenant,
  follower: Follower,
  { after, ...selection }: EventSelection & { after: number },
): AsyncGenerator<string | Uint8Array, void> {
  yield ": connected\n\n";
  let sentAt = performance.now();
  for await (const page of followChanges(tenant, follower, {
    after,
    idleMilliseconds: commentMilliseconds,
  })) {
    const events = eventsOf(tenant, page, selection);
    const isQuiet = performance.now() - sentAt >= commentMilliseconds;
    if (events.length === 0 && !isQuiet) continue;
    sentAt = performance.now();
    yield events.length > 0 ? events : ":\n\n";
  }
}

type EventSelection = { filter: ChangeFilter; format: ChangeFormat | undefined };

const encoder = new TextEncoder();

/** The events of a page that match. Streams that share the page share them, by filter and format. */
function eventsOf(
  tenant: Tenant,
  { rows, encoded }: SharedChanges,
  { filter, format }: EventSelection,
): Uint8Array {
  const key = `${filter.resource} ${filter.action} ${format}`;
  const found = encoded.get(key);
  if (found) return found;
  const matching = rows.filter((row) => matchesFilter(row, filter));
  const present = presenterOf(format, tenant);
  const texts = matching.map((row) => `id: ${row.sequence}\ndata: ${JSON.stringify(present(row))}\n\n`);
  const events = encoder.encode(texts.join(""));
  encoded.set(key, events);
  return events;
}
