import { requireAccount } from "../core/account-reference.ts";
import { pendingEventsOf } from "../core/attachments.ts";
import { tenantRoutes } from "../http/guard.ts";
import { replies } from "../http/replies.ts";
import { AccountPath } from "../http/shapes.ts";
import { readUsageQuery, UsageQuery } from "./input.ts";
import { presentUsageDay, UsagePage } from "./model.ts";
import { listUsage } from "./store.ts";

/** The usage of accounts by day. */
export const usageRoutes = tenantRoutes("/api/v1/accounts").get(
  "/:accountId/usage",
  async ({ tenant, params, query }) => {
    const accountId = Number(params.accountId);
    const { rows, ...page } = await tenant.read(async (snapshot) => {
      const request = readUsageQuery(query, snapshot.now);
      await requireAccount(snapshot, { accountId });
      const pending = await pendingEventsOf(snapshot, accountId);
      return { ...(await listUsage(snapshot, { ...request, accountId })), ...pending };
    });
    return { data: rows.map(presentUsageDay), ...page };
  },
  {
    params: AccountPath,
    query: UsageQuery,
    response: replies({ 200: UsagePage }, 400, 401, 404, 500, 503),
    detail: {
      tags: ["Events"],
      operationId: "getUsage",
      summary: "Get an account's usage",
      description:
        "Returns the number of events and of users for each event on each UTC day, ordered by day and event. Without `from` and `to`: the last 30 days. Days without events are left out. At most 366 days. `pendingEvents` is present while events of the account are not counted yet.",
    },
  },
);
