import { requireAccount } from "../core/account-reference.ts";
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
    const { rows, pagination } = await tenant.read(async (snapshot) => {
      const request = readUsageQuery(query, snapshot.now);
      await requireAccount(snapshot, { accountId });
      return listUsage(snapshot, { ...request, accountId });
    });
    return { data: rows.map(presentUsageDay), pagination };
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
        "Returns the number of events and of users for each event on each UTC day, ordered by day and event. Without `from` and `to`: the last 30 days. Days without events are left out. At most 366 days.",
    },
  },
);
