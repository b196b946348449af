import type { HealthSettings } from "../../../../shared/health.ts";
import { api } from "../../api.ts";
import type { TierTotals } from "../overview/requests.ts";
import { withoutFormer } from "../overview/tier-totals.ts";

/** The tiers with other settings. `sampled`: the number of accounts that were computed, if not all. */
export type SettingsPreview = { tiers: TierTotals["tiers"]; sampled: number | undefined };

export async function previewSettings(body: HealthSettings): Promise<SettingsPreview> {
  const [preview, summary] = await Promise.all([
    api.POST("/api/v1/health/preview", { body }),
    api.GET("/api/v1/health/summary"),
  ]);
  const { tiers, sampled } = preview.data.data;
  return { tiers: withoutFormer({ tiers, statuses: summary.data.data.statuses }).tiers, sampled };
}
