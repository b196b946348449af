import type { components } from "../../../../../clients/typescript/src/schema.ts";
import type { HealthSettings } from "../../../../shared/health.ts";
import { api } from "../../api.ts";
import { withoutFormer } from "../overview/tier-totals.ts";

export type TierSums = components["schemas"]["TierSummary"][];
/** The stored settings, the entity tag of this state, and the tiers of the active and onboarding accounts now. */
export type StoredSettings = { settings: HealthSettings; tag: string; tiers: TierSums };
/** The tiers with other settings. `sampled`: the number of accounts that were computed, if not all. */
export type SettingsPreview = { tiers: TierSums; sampled: number | undefined };

export async function readStoredSettings(signal: AbortSignal): Promise<StoredSettings> {
  const [{ data, response }, summary] = await Promise.all([
    api.GET("/api/v1/health/settings", { signal }),
    api.GET("/api/v1/health/summary", { signal }),
  ]);
  const { tiers } = withoutFormer(summary.data.data);
  return { settings: data.data, tag: response.headers.get("etag") ?? "*", tiers };
}

export async function previewSettings(body: HealthSettings): Promise<SettingsPreview> {
  const [preview, summary] = await Promise.all([
    api.POST("/api/v1/health/preview", { body }),
    api.GET("/api/v1/health/summary"),
  ]);
  const { tiers, sampled } = preview.data.data;
  return { tiers: withoutFormer({ tiers, statuses: summary.data.data.statuses }).tiers, sampled };
}
