import type { HealthTier } from "../../../../shared/fields/tiers.ts";
import { type Column, Table } from "../../components/table.tsx";
import { TierName } from "../../components/values.tsx";
import { formatCount, formatMrr } from "../../format.ts";
import type { SettingsPreview, TierSums } from "./requests.ts";

type TierRow = { tier: HealthTier | null; now: TierSums[number]; next: TierSums[number] | undefined };

const columns: readonly Column<TierRow>[] = [
  { title: "Tier", isHeading: true, cell: ({ tier }) => <TierName tier={tier} /> },
  { title: "Accounts now", isNumber: true, cell: ({ now }) => formatCount(now.accounts) },
  { title: "MRR now", isNumber: true, cell: ({ now }) => formatMrr(now.mrr) },
];
const previewColumns: readonly Column<TierRow>[] = [
  ...columns,
  {
    title: "Accounts then",
    isNumber: true,
    cell: ({ next }) => next && formatCount(next.accounts),
  },
  { title: "MRR then", isNumber: true, cell: ({ next }) => next && formatMrr(next.mrr) },
];

/** The tiers of active and onboarding accounts: now, and with the settings of a preview. */
export function PreviewTable({
  present,
  preview,
}: {
  present: TierSums;
  preview: SettingsPreview | undefined;
}) {
  const rows = present.map((now): TierRow => {
    const next = preview?.tiers.find(({ tier }) => tier === now.tier);
    return { tier: now.tier, now, next };
  });
  return (
    <>
      <Table label="Tiers, table" columns={preview ? previewColumns : columns} rows={rows} />
      {preview?.sampled !== undefined && (
        <p class="hint">Computed from {formatCount(preview.sampled)} accounts, and scaled.</p>
      )}
    </>
  );
}
