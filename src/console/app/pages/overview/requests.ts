import type { components } from "../../../../../clients/typescript/src/client.ts";
import type { HealthSettings } from "../../../../shared/health.ts";
import { api } from "../../api.ts";
import { dayBefore } from "../../days.ts";
import type { UnmatchedEntry } from "../unmatched/requests.ts";
import { type ChangeSummary, readTierMoves, type TierMoves } from "./tier-moves.ts";
import { withoutFormer } from "./tier-totals.ts";
import { readUsageDays, type UsageDays, withoutEmptyStart } from "./usage-days.ts";

/** `settings`: how the scores are computed. `tag`: the entity tag of the settings. */
export type TierTotals = components["schemas"]["HealthSummary"] & { settings: HealthSettings; tag: string };
export type AccountAtRisk = components["schemas"]["ListedHealth"];

export async function readHealthSummary(signal: AbortSignal): Promise<TierTotals> {
  const [summary, settings] = await Promise.all([
    api.GET("/api/v1/health/summary", { signal }),
    api.GET("/api/v1/health/settings", { signal }),
  ]);
  const tag = settings.response.headers.get("etag") ?? "*";
  return { ...withoutFormer(summary.data.data), settings: settings.data.data, tag };
}

/** The accounts whose health is the worst two tiers, the largest revenue first. */
export async function readAccountsAtRisk(signal: AbortSignal): Promise<AccountAtRisk[]> {
  const query = {
    tier: ["at_risk" as const, "critical" as const],
    sortBy: "mrr" as const,
    sortOrder: "desc" as const,
    pageSize: 12,
    cursor: "",
  };
  return (await api.GET("/api/v1/health", { params: { query }, signal })).data.data;
}

/** The ids with the most pending events, and the number of all ids. */
export async function readUnmatched(
  signal: AbortSignal,
): Promise<{ entries: UnmatchedEntry[]; total: number }> {
  const query = { sortBy: "count" as const, sortOrder: "desc" as const, pageSize: 5 };
  const { data } = await api.GET("/api/v1/events/unmatched", { params: { query }, signal });
  return { entries: data.data, total: "total" in data.pagination ? data.pagination.total : 0 };
}

/** Events by day over the last 90 days without the empty ones at their beginning, in three ranges of 30 that are read at once. */
export async function readUsage(signal: AbortSignal): Promise<UsageDays> {
  const ranges = [90, 60, 30].map((days) => ({ from: dayBefore(days - 1), to: dayBefore(days - 30) }));
  const readRange = (range: (typeof ranges)[number]) =>
    api.list("/api/v1/usage", { params: { query: { ...range, pageSize: 1000 } }, signal });
  return withoutEmptyStart(await readUsageDays(readRange, ranges, 6_000));
}

/** The changes of the last 7 days: their numbers, and the accounts whose tier moved. */
export async function readChanges(
  signal: AbortSignal,
): Promise<{ summary: ChangeSummary; moves: TierMoves }> {
  const from = new Date(Date.now() - 7 * 86_400_000).toISOString();
  const { data } = await api.GET("/api/v1/changes/summary", { params: { query: { from } }, signal });
  const moves = await readTierMoves(data.data, async (after, action) => {
    const query = { after, resource: "account" as const, action };
    const { data } = await api.GET("/api/v1/changes", { params: { query }, signal });
    return {
      changes: data.data.filter(
        (change) => change.type === "account.health_changed" || change.type === "account.deleted",
      ),
      nextAfter: data.pagination.nextAfter,
    };
  });
  return { summary: data.data, moves };
}
