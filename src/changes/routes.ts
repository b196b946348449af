import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { holdRequest } from "../http/held-requests.ts";
import { linkToNext, listReply } from "../http/replies/list-replies.ts";
import { replies } from "../http/replies/replies.ts";
import { addAccountRead } from "../http/resource/account-paths.ts";
import { pageOf } from "../http/validation/list-shapes.ts";
import { subResourceList } from "../shared/resources.ts";
import { waitForChange } from "./follow.ts";
import { ChangeFeedQuery, ChangeSummaryQuery, maxLimit, readChangeTimes } from "./input.ts";
import { readFeed, readHistory } from "./list.ts";
import {
  ChangeFeedReply,
  ChangeSummaryReply,
  cloudEventsBatch,
  eventsReply,
  feedReply,
  HistoryPage,
  HistoryQuery,
  presentChangeView,
} from "./model.ts";
import { presenterOf } from "./present.ts";
import { countChanges } from "./summary.ts";

const detail = detailOf("Changes", "read");

/** The operations on the change feed. */
export const changeRoutes = addAccountRead(
  tenantRoutes("/api/v1")
    .get(
      "/changes/summary",
      async ({ tenant, query }) => {
        const range = readChangeTimes(query);
        return { data: await tenant.read((snapshot) => countChanges(snapshot, range), { place: "reader" }) };
      },
      {
        query: ChangeSummaryQuery,
        response: replies({ 200: ChangeSummaryReply }, 400, 401, 500, 503),
        detail: detail(
          "summarizeChanges",
          "Summarize changes",
          "Returns the number of the organization's changes by type in a range of times, and of the changes of tiers by both tiers. Changes that are no longer stored are not counted, as the feed does not have them. To read the counted changes, send `firstSequence` - 1 as `after` of `GET /api/v1/changes`.",
        ),
      },
    )
    .get(
      "/changes",
      async ({ tenant, query, request, set }) => {
        const { after = 0, limit = maxLimit, wait = 0, resource, action, format } = query;
        const filter = { resource, action };
        const waitMilliseconds = Number(wait) * 1_000;
        if (waitMilliseconds > 0) holdRequest(request);
        const start =
          waitMilliseconds > 0
            ? await waitForChange(tenant, { after: Number(after), filter, waitMilliseconds })
            : Number(after);
        const page = { after: start, limit: Number(limit), ...filter };
        const present = presenterOf(format, tenant);
        const feed = await tenant.read((snapshot) => readFeed(snapshot, page, present));
        if (format !== "cloudevents") return feedReply(feed, page.limit);
        set.headers["content-type"] = cloudEventsBatch;
        set.headers.link = linkToNext(request.url, { after: feed.nextAfter });
        return eventsReply(feed);
      },
      {
        query: ChangeFeedQuery,
        response: replies({ 200: ChangeFeedReply }, 400, 401, 410, 429, 500, 503),
        detail: detail(
          "listChanges",
          "List changes",
          "Returns the organization's changes after a sequence number, in commit order. Send `nextAfter` as `after` to continue while `hasNextPage` is true. A response with a filter reads at most 10,000 changes, so it can be empty although later changes match. Changes are kept for 400 days unless the operator sets another time; a first `sequence` above `after` + 1 without filters shows that older ones were deleted. With `wait`, the response is sent when there is a matching change, at the latest after this time. With `format=cloudevents`, `Link` always has the next request: there are no further changes yet when its `after` is that of the request.",
        ),
      },
    ),
  {
    path: "/history",
    ...{ tag: "Changes", query: HistoryQuery, reply: HistoryPage },
    about: [
      "getAccountHistory",
      "Get an account's history",
      `Returns the changes of an account and of its ${subResourceList}, newest first. A row that moves from one account to another has this change in both histories. Returns 404 after the account is deleted; \`GET /api/v1/changes\` still has the changes.`,
    ],
    async read({ tenant, account, query, request, set }) {
      const page = pageOf(query);
      // A page by number counts all changes of the account.
      const place = query.cursor === undefined ? "reader" : "serving";
      const found = await tenant.readList({ cursor: query.cursor, place }, (snapshot) =>
        readHistory(snapshot, account, page),
      );
      return listReply({ request, set }, found.rows.map(presentChangeView), found);
    },
  },
);
