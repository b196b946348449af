import { Problem } from "../core/errors.ts";
import { parseTimestamp } from "../core/timestamps.ts";
import { tenantRoutes } from "../http/guard.ts";
import { replies } from "../http/replies.ts";
import { AccountPath, pageOf } from "../http/shapes.ts";
import {
  HealthListQuery,
  HealthPage,
  HealthQuery,
  HealthReply,
  HealthSummaryReply,
  presentHealth,
  presentListed,
  presentSummary,
} from "./model.ts";
import { getHealth, listHealth, summarizeHealth } from "./store.ts";

const tags = ["Health"];

/** How healthy accounts are. */
export const healthRoutes = tenantRoutes("/api/v1")
  .get(
    "/accounts/:accountId/health",
    async ({ tenant, params, query }) => {
      const accountId = Number(params.accountId);
      const data = await tenant.read(async (snapshot) => {
        const asOf = readAsOf(query.asOf, snapshot.now);
        return presentHealth(await getHealth(snapshot, accountId, asOf), asOf);
      });
      return { data };
    },
    {
      params: AccountPath,
      query: HealthQuery,
      response: replies({ 200: HealthReply }, 400, 401, 404, 500, 503),
      detail: {
        tags,
        operationId: "getAccountHealth",
        summary: "Get an account's health",
        description:
          "A score from 0 to 100, the weighted mean of the factors of which something is known, each with what was measured, what that is worth and what it contributes. With `asOf`, from what is stored now as far as it had happened by then; usage counts by UTC days.",
      },
    },
  )
  .get(
    "/health",
    async ({ tenant, query }) => {
      await tenant.runJob("scores");
      const { rows, pagination } = await tenant.read((snapshot) =>
        listHealth(snapshot, { ...query, ...pageOf(query) }),
      );
      return { data: rows.map(presentListed), pagination };
    },
    {
      query: HealthListQuery,
      response: replies({ 200: HealthPage }, 400, 401, 500, 503),
      detail: {
        tags,
        operationId: "listHealth",
        summary: "List accounts by health",
        description:
          "A page of the organization's accounts with their scores, the lowest first. Accounts without a score stand after those with one; in descending order before them.",
      },
    },
  )
  .get(
    "/health/summary",
    async ({ tenant }) => {
      await tenant.runJob("scores");
      const data = await tenant.read(async (snapshot) =>
        presentSummary(await summarizeHealth(snapshot), snapshot.now),
      );
      return { data };
    },
    {
      response: replies({ 200: HealthSummaryReply }, 400, 401, 500, 503),
      detail: {
        tags,
        operationId: "getHealthSummary",
        summary: "Summarize health",
        description:
          "How many accounts each tier has, and their monthly recurring revenue, now. The last row, with `tier` null, is of those without a score.",
      },
    },
  );

/** Throws `invalid_request` for a time in the future. */
function readAsOf(text: string | undefined, now: number): number {
  const asOf = text === undefined ? now : (parseTimestamp(text) ?? now);
  if (asOf <= now) return asOf;
  const detail = "must not be in the future";
  throw new Problem("invalid_request", { errors: [{ parameter: "asOf", code: "in_future", detail }] });
}
