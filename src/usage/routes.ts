import { pendingEventsOf } from "../core/attaching-events.ts";
import { requireAccount } from "../core/resource/account-reference.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { extendedListReply, listReply } from "../http/replies/list-replies.ts";
import { replies } from "../http/replies/replies.ts";
import { addAccountRead } from "../http/resource/account-paths.ts";
import { readRankingQuery, readUsageQuery, UsageQuery, UsageRankingQuery } from "./input.ts";
import { listUsage, listUsageSums, placeOfDays, rankAccounts } from "./lists.ts";
import {
  presentAccountUsage,
  presentUsageDay,
  presentUsageSum,
  UsagePage,
  UsageRankingPage,
  UsageSumPage,
} from "./model.ts";

const detail = detailOf("Events", "read");

/** The cursor of a query, and where it is read. */
const listed = (query: { cursor?: string; event?: string }) => ({
  ...{ cursor: query.cursor, place: placeOfDays(query) },
});

const ofAccount = addAccountRead(tenantRoutes("/api/v1"), {
  path: "/usage",
  ...{ tag: "Events", query: UsageQuery, reply: UsagePage },
  about: [
    "getUsage",
    "Get an account's usage",
    "Returns the number of events and of users for each event on each UTC day, ordered by day and event. Without `from` and `to`: the last 30 days. Days without events are left out. At most 366 days. `pendingEvents` is present while events of the account are not counted yet.",
  ],
  async read({ tenant, account, query, request, set }) {
    const { page, pending } = await tenant.readList(listed(query), async (snapshot) => {
      const request = readUsageQuery(query, snapshot.now);
      const accountId = await requireAccount(snapshot, account);
      const pending = await pendingEventsOf(snapshot, accountId);
      return { page: await listUsage(snapshot, { ...request, accountId }), pending };
    });
    return extendedListReply({ request, set }, page.rows.map(presentUsageDay), page, pending);
  },
});

export const usageRoutes = ofAccount
  .get(
    "/usage",
    async ({ tenant, query, request, set }) => {
      const page = await tenant.readList(listed(query), (snapshot) =>
        listUsageSums(snapshot, readUsageQuery(query, snapshot.now)),
      );
      return listReply({ request, set }, page.rows.map(presentUsageSum), page);
    },
    {
      query: UsageQuery,
      response: replies({ 200: UsageSumPage }, 400, 401, 500, 503),
      detail: detail(
        "listUsage",
        "List the usage of all accounts",
        "Returns the number of events, of users and of accounts for each event on each UTC day, ordered by day and event. Without `from` and `to`: the last 30 days. Days without events are left out. At most 366 days. Pending events are not counted.",
      ),
    },
  )
  .get(
    "/usage/accounts",
    async ({ tenant, query, request, set }) => {
      const page = await tenant.read(
        (snapshot) => rankAccounts(snapshot, readRankingQuery(query, snapshot.now)),
        { place: "reader" },
      );
      return listReply({ request, set }, page.rows.map(presentAccountUsage), page);
    },
    {
      query: UsageRankingQuery,
      response: replies({ 200: UsageRankingPage }, 400, 401, 500, 503),
      detail: detail(
        "rankAccountsByUsage",
        "Rank accounts by usage",
        "Returns a page of the accounts with events in a range of UTC days, the most events first; ties are ordered by id. Without `event`: all events. Without `from` and `to`: the last 30 days. At most 366 days. The usage of all accounts in the range is read for each page. A page of accounts after the first 10,000 is 400.",
      ),
    },
  );
