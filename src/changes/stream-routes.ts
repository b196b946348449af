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
import { assertStored, type FollowedPage, followChanges } from "./follow.ts";
import { ChangeStreamQuery } from "./input.ts";
import { ChangeStreamReply } from "./model.ts";
import { presentChange } from "./present.ts";

/** After this time without an event, a comment keeps the connection open. */
const commentMilliseconds = 15_000;
/** A client that does not read the events of a page in this time is disconnected. */
const maxUnsentSeconds = 5;

const detail = detailOf("Changes", "read");

/** The server-sent events of changes (HTML Living Standard, 9.2). */
export const changeStreamRoutes = tenantRoutes("/api/v1").get(
  "/changes/stream",
  async ({ tenant, query, request, set, reportStreamError }) => {
    const { resource, action } = query;
    const start = readLastEventId(request.headers) ?? query.after;
    const follower = tenant.follow();
    try {
      const after = start === undefined ? await tenant.readOne(lastSequence) : Number(start);
      await assertStored(tenant, follower, after);
      holdRequest(request);
      set.headers["content-type"] = "text/event-stream";
      // nginx would collect the events.
      set.headers["x-accel-buffering"] = "no";
      const parts = eventParts(tenant, follower, { after, filter: { resource, action } });
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
      "Server-sent events: `id` is the `sequence` of a change, and `data` the change as in `GET /api/v1/changes`. The stream begins after `Last-Event-ID` or `after`, without either with the next change. A comment is sent every 15 seconds without an event. The stream ends when the key is revoked, the server stops, or the client does not read: connect again with the id of the last event as `Last-Event-ID`, as browsers do. An organization has at most 250 streams and waiting requests.",
    ),
  },
);

/** The sequence number in the header that browsers send when they connect again. Throws `invalid_request`. */
function readLastEventId(headers: Headers): string | undefined {
  const id = headers.get("last-event-id");
  if (id === null || id === "") return undefined;
  if (/^(?:0|[1-9]\d*)$/.test(id) && Number.isSafeInteger(Number(id))) return id;
  const violation = { header: "last-event-id", code: "wrong_type", detail: "must be the id of an event" };
  throw new Problem("invalid_request", { errors: [{ ...violation, code: "wrong_type" }] });
}

async function* eventParts(
  tenant: Tenant,
  follower: Follower,
  { after, filter }: { after: number; filter: ChangeFilter },
): AsyncGenerator<string | Uint8Array, void> {
  yield ": connected\n\n";
  let sentAt = performance.now();
  for await (const page of followChanges(tenant, follower, {
    after,
    idleMilliseconds: commentMilliseconds,
  })) {
    const events = eventsOf(page, filter);
    const isQuiet = performance.now() - sentAt >= commentMilliseconds;
    if (events.length === 0 && !isQuiet) continue;
    sentAt = performance.now();
    yield events.length > 0 ? events : ":\n\n";
  }
}

const encoder = new TextEncoder();
/** The events of the rows of a page, by the filter of the streams that send them. */
const encoded = new WeakMap<FollowedPage["rows"], Map<string, Uint8Array>>();

/** The events of a page that match. Streams that share the page share them. */
function eventsOf({ rows }: FollowedPage, filter: ChangeFilter): Uint8Array {
  const byFilter = encoded.get(rows) ?? new Map<string, Uint8Array>();
  encoded.set(rows, byFilter);
  const key = `${filter.resource} ${filter.action}`;
  const found = byFilter.get(key);
  if (found) return found;
  const matching = rows.filter((row) => matchesFilter(row, filter));
  const texts = matching.map((row) => `id: ${row.sequence}\ndata: ${JSON.stringify(presentChange(row))}\n\n`);
  const events = encoder.encode(texts.join(""));
  byFilter.set(key, events);
  return events;
}
