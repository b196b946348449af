import type { HealthTier } from "../../../../shared/fields/tiers.ts";
import type { HealthSettings } from "../../../../shared/health.ts";
import { api } from "../../api.ts";
import { type Column, Table } from "../../components/table.tsx";
import { TierName } from "../../components/values.tsx";
import { formatCount, formatWholeMrr } from "../../format.ts";
import { fields, healthSettings as text } from "../../messages/messages.ts";
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

type TierRow = {
  tier: HealthTier | null;
  now: TierTotals["tiers"][number];
  next: TierTotals["tiers"][number] | undefined;
};

const columns: readonly Column<TierRow>[] = [
  { title: fields.labels.tier, isHeading: true, cell: ({ tier }) => <TierName tier={tier} /> },
  { title: text.accountsNow, isNumber: true, cell: ({ now }) => formatCount(now.accounts) },
  { title: text.mrrNow, isNumber: true, cell: ({ now }) => formatWholeMrr(now.mrr) },
];
const previewColumns: readonly Column<TierRow>[] = [
  ...columns,
  {
    title: text.accountsThen,
    isNumber: true,
    cell: ({ next }) => next && formatCount(next.accounts),
  },
  { title: text.mrrThen, isNumber: true, cell: ({ next }) => next && formatWholeMrr(next.mrr) },
];

/** The tiers of active and onboarding accounts: now, and with the settings of a preview. */
export function PreviewTable({
  present,
  preview,
}: {
  present: TierTotals["tiers"];
  preview: SettingsPreview | undefined;
}) {
  const rows = present.map((now): TierRow => {
    const next = preview?.tiers.find(({ tier }) => tier === now.tier);
    return { tier: now.tier, now, next };
  });
  return (
    <>
      <Table name={text.tiers} columns={preview ? previewColumns : columns} rows={rows} />
      {preview?.sampled !== undefined && <p class="hint">{text.sampled(preview.sampled)}</p>}
    </>
  );
}
