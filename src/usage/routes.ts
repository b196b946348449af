import { requireAccount } from "../core/account-reference.ts";
import { pendingEventsOf } from "../core/attachments.ts";
import { tenantRoutes } from "../http/guard.ts";
import { listReply } from "../http/list-replies.ts";
import { replies } from "../http/replies.ts";
import { requires } from "../http/required-scope.ts";
import { AccountPath } from "../http/shapes.ts";
import { readUsageQuery, UsageQuery } from "./input.ts";
import { presentUsageDay, UsagePage } from "./model.ts";
import { listUsage } from "./store.ts";

/** The usage of accounts by day. */
export const usageRoutes = tenantRoutes("/api/v1/accounts").get(
  "/:accountId/usage",
  async ({ tenant, params, query, request, set }) => {
    const accountId = Number(params.accountId);
    const { rows, pagination, ...pending } = await tenant.readList(query, async (snapshot) => {
      const request = readUsageQuery(query, snapshot.now);
      await requireAccount(snapshot, { accountId });
      const pending = await pendingEventsOf(snapshot, accountId);
      return { ...(await listUsage(snapshot, { ...request, accountId })), ...pending };
    });
    return { ...listReply({ request, set }, rows.map(presentUsageDay), pagination), ...pending };
  },
  {
    params: AccountPath,
    query: UsageQuery,
    response: replies({ 200: UsagePage }, 400, 401, 404, 500, 503),
    detail: {
      tags: ["Events"],
      security: requires("read"),
      operationId: "getUsage",
      summary: "Get an account's usage",
      description:
        "Returns the number of events and of users for each event on each UTC day, ordered by day and event. Without `from` and `to`: the last 30 days. Days without events are left out. At most 366 days. `pendingEvents` is present while events of the account are not counted yet.",
    },
  },
);
