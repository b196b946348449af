import { pendingEventsOf } from "../core/attaching-events.ts";
import { invalidParameter } from "../core/errors.ts";
import { requireAccount } from "../core/resource/account-reference.ts";
import { parseTimestamp } from "../core/timestamps.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { listReply } from "../http/replies/list-replies.ts";
import { replies } from "../http/replies/replies.ts";
import { addAccountRead } from "../http/resource/account-paths.ts";
import { pageOf } from "../http/validation/list-shapes.ts";
import { readHistory } from "./history.ts";
import {
  HealthHistoryQuery,
  HealthHistoryReply,
  HealthListQuery,
  HealthPage,
  HealthQuery,
  HealthReply,
  HealthSummaryReply,
  presentDay,
  presentHealth,
  presentListed,
  presentSummary,
  readHistoryQuery,
} from "./model.ts";
import { getHealth, healthList, placeOfHealth, sumHealth } from "./store.ts";

const detail = detailOf("Health", "read");

const routes = tenantRoutes("/api/v1");
addAccountRead(routes, {
  path: "/health",
  ...{ tag: "Health", query: HealthQuery, reply: HealthReply },
  about: [
    "getAccountHealth",
    "Get an account's health",
    "Computes the score of an account, from 0 to 100: the weighted mean of the known factors, each with its value, score and contribution. With `asOf`, uses only stored facts dated up to that time, and the present settings; usage is counted by UTC day. `pendingEvents` is present while events of the account are not counted yet.",
  ],
  async read({ tenant, account, query }) {
    const place = await placeOfHealth(tenant, account, readAsOf(query.asOf, tenant.now));
    const data = await tenant.read(
      async (snapshot) => {
        const asOf = readAsOf(query.asOf, snapshot.now);
        const accountId = await requireAccount(snapshot, account);
        const pending = await pendingEventsOf(snapshot, accountId);
        return { ...presentHealth(await getHealth(snapshot, accountId, asOf), asOf), ...pending };
      },
      { place },
    );
    return { data };
  },
});
addAccountRead(routes, {
  path: "/health/history",
  ...{ tag: "Health", query: HealthHistoryQuery, reply: HealthHistoryReply },
  about: [
    "getHealthHistory",
    "Get an account's health over time",
    "Returns the stored score of an account at the end of each UTC day, oldest first, up to today, whose score is the present one. A day on which the score did not change has the score of the day before. Days before the first score are left out. Without `from` and `to`: the last 90 days. At most 366 days; changes are stored for 400 days.",
  ],
  async read({ tenant, account, query }) {
    await tenant.runJob("scores");
    const days = await tenant.read(async (snapshot) => {
      const range = readHistoryQuery(query, snapshot.now);
      return readHistory(snapshot, { ...range, accountId: await requireAccount(snapshot, account) });
    });
    return { data: days.map(presentDay) };
  },
});

export const healthRoutes = routes
  .get(
    "/health",
    async ({ tenant, query, request, set }) => {
      await tenant.runJob("scores");
      const page = await healthList.readFor(tenant, { ...query, ...pageOf(query) });
      return listReply({ request, set }, page.rows.map(presentListed), page);
    },
    {
      query: HealthListQuery,
      response: replies({ 200: HealthPage }, 400, 401, 500, 503),
      detail: detail(
        "listHealth",
        "List accounts by health",
        "Returns a page of the organization's accounts with their stored scores. Default order: lowest score first. Accounts without a score are last in ascending and first in descending order.",
      ),
    },
  )
  .get(
    "/health/summary",
    async ({ tenant }) => {
      await tenant.runJob("scores");
      const data = await tenant.read(
        async (snapshot) => presentSummary(await sumHealth(snapshot), snapshot.now),
        { place: "reader" },
      );
      return { data };
    },
    {
      response: replies({ 200: HealthSummaryReply }, 400, 401, 500, 503),
      detail: detail(
        "getHealthSummary",
        "Summarize health",
        "Returns the number of accounts of each tier and their monthly recurring revenue. The last row, with `tier` null, has the accounts without a score. `statuses` has the same by status. `distribution` has the number of accounts by score, in ten bands.",
      ),
    },
  );

/** Throws `invalid_request` for a timestamp in the future. */
function readAsOf(text: string | undefined, now: number): number {
  const asOf = text === undefined ? now : (parseTimestamp(text) ?? now);
  if (asOf <= now) return asOf;
  throw invalidParameter("asOf", "in_future", "must not be in the future");
}
