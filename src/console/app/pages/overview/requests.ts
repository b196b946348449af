import type { components } from "../../../../../clients/typescript/src/client.ts";
import { accountStatuses } from "../../../../shared/fields/accounts.ts";
import type { HealthSettings } from "../../../../shared/health.ts";
import { api } from "../../api.ts";
import { dayBefore } from "../../days.ts";
import { nextCursorOf } from "../../use-request.ts";
import type { UnmatchedEntry } from "../unmatched/requests.ts";
import { type RecentChanges, readRecentChanges } from "./recent-changes.ts";
import { withoutFormer } from "./tier-totals.ts";
import { readUsageDays, type UsageDays } from "./usage-days.ts";

/** `settings`: how the scores are computed. */
export type TierTotals = components["schemas"]["HealthSummary"] & { settings: HealthSettings };
export type AccountAtRisk = components["schemas"]["ListedHealth"];

export async function readHealthSummary(signal: AbortSignal): Promise<TierTotals> {
  const [summary, settings] = await Promise.all([
    api.GET("/api/v1/health/summary", { signal }),
    api.GET("/api/v1/health/settings", { signal }),
  ]);
  return { ...withoutFormer(summary.data.data), settings: settings.data.data };
}

/** The accounts whose health is the worst two tiers, the largest revenue first. */
export async function readAccountsAtRisk(signal: AbortSignal): Promise<AccountAtRisk[]> {
  const query = {
    tier: ["at_risk" as const, "critical" as const],
    sortBy: "mrr" as const,
    sortOrder: "desc" as const,
  };
  const { data } = await api.GET("/api/v1/health", {
    params: { query: { ...query, pageSize: 12, cursor: "" } },
    signal,
  });
  return data.data;
}

export type StatusCount = { status: (typeof accountStatuses)[number]; count: number };

export async function countByStatus(signal: AbortSignal): Promise<StatusCount[]> {
  return Promise.all(
    accountStatuses.map(async (status) => {
      const query = { status: [status], fields: ["id" as const], pageSize: 1 };
      const { data } = await api.GET("/api/v1/accounts", { params: { query }, signal });
      return { status, count: totalOf(data.pagination) };
    }),
  );
}

/** The ids with the most pending events, and the number of all ids. */
export async function readUnmatched(
  signal: AbortSignal,
): Promise<{ entries: UnmatchedEntry[]; total: number }> {
  const query = { sortBy: "count" as const, sortOrder: "desc" as const, pageSize: 5 };
  const { data } = await api.GET("/api/v1/events/unmatched", { params: { query }, signal });
  return { entries: data.data, total: totalOf(data.pagination) };
}

/** Events by day over the last 90 days, in three ranges of 30 that are read at once. */
export function readUsage(signal: AbortSignal): Promise<UsageDays> {
  const ranges = [90, 60, 30].map((days) => ({ from: dayBefore(days - 1), to: dayBefore(days - 30) }));
  return readUsageDays(
    async ({ from, to }, cursor) => {
      const query = { from, to, cursor, pageSize: 1000 };
      const { data } = await api.GET("/api/v1/usage", { params: { query }, signal });
      return {
        rows: data.data,
        nextCursor: nextCursorOf(data.pagination),
      };
    },
    ranges,
    6,
  );
}

/** The changes of the last 7 days. */
export function readChanges(signal: AbortSignal): Promise<RecentChanges> {
  const since = new Date(Date.now() - 7 * 86_400_000).toISOString();
  return readRecentChanges(
    {
      read: async (after, limit) => {
        const { data } = await api.GET("/api/v1/changes", { params: { query: { after, limit } }, signal });
        return { changes: data.data, hasNextPage: data.pagination.hasNextPage };
      },
      findAnchor: () => findNewestKnownChange(signal),
    },
    since,
  );
}

/** The sequence number of the newest change of the account that was updated last. */
async function findNewestKnownChange(signal: AbortSignal): Promise<number> {
  const newest = {
    sortBy: "updatedAt" as const,
    sortOrder: "desc" as const,
    fields: ["id" as const],
    pageSize: 1,
  };
  const accounts = await api.GET("/api/v1/accounts", { params: { query: newest }, signal });
  const account = accounts.data.data[0];
  if (!account) return 0;
  const history = await api.GET("/api/v1/accounts/{accountId}/history", {
    params: { path: { accountId: account.id }, query: { pageSize: 1 } },
    signal,
  });
  return history.data.data[0]?.sequence ?? 0;
}

function totalOf(pagination: { total: number } | object): number {
  return "total" in pagination ? pagination.total : 0;
}
