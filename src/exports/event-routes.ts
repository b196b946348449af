import type { PageRequest } from "../core/lists/paging.ts";
import { EventExportQuery, readEventFilters } from "../events/input.ts";
import { presentEvent } from "../events/model.ts";
import { readReceivedEvents } from "../events/received.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { replies } from "../http/replies/replies.ts";
import { eventsReply } from "./model.ts";
import { partsOf } from "./parts.ts";
import { internalCursors, sendParts } from "./routes.ts";

const detail = detailOf("Events", "read");

/** The export of events, which have no CSV: their properties are objects. */
export const eventExportRoutes = tenantRoutes("/api/v1").get(
  "/events.jsonl",
  ({ tenant, query, request, set, reportStreamError }) => {
    const filters = readEventFilters(query);
    const cursors = internalCursors("reader");
    const readPage = async (page: PageRequest) => {
      const { rows, pagination } = await tenant.readList(cursors, (snapshot) =>
        readReceivedEvents(snapshot, filters, page),
      );
      return { rows: rows.map(presentEvent), pagination };
    };
    const parts = partsOf(readPage, { format: "jsonl", columns: [], hasEndLine: query.end === "true" });
    const context = { tenant, request, set, reportStreamError };
    return sendParts(context, { resource: "events", format: "jsonl" }, parts);
  },
  {
    query: EventExportQuery,
    response: replies({ 200: eventsReply }, 400, 401, 500, 503),
    detail: detail(
      "exportEventsAsJsonLines",
      "Export events as JSON lines",
      "All received events that match the filters, in the order of receipt, in one stream. Events that are received during the export can be in it.",
    ),
  },
);
