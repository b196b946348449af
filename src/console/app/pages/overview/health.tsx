import { nameOfTier } from "../../../../shared/health.ts";
import { Card, Loaded } from "../../components/card.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { colorNameOfTier, TierName } from "../../components/tier.tsx";
import { formatCount, formatMrr, formatPercent } from "../../format.ts";
import type { RequestState } from "../../use-request.ts";
import type { TierTotals } from "./requests.ts";
import { shareOf } from "./share.ts";

type Measure = {
  name: string;
  read: (tier: TierTotals["tiers"][number]) => number;
  format: (value: number) => string;
};

const measures: readonly Measure[] = [
  { name: "Accounts", read: ({ accounts }) => accounts, format: formatCount },
  { name: "MRR", read: ({ mrr }) => mrr, format: formatMrr },
];

/** Accounts and revenue by tier: two bars, and a table with the same numbers as the legend. */
export function HealthCard({ state }: { state: RequestState<TierTotals> }) {
  return (
    <Card title="Accounts by health">
      <Loaded state={state} height={16}>
        {({ tiers }) => (
          <>
            {measures.map((measure) => (
              <Bar key={measure.name} measure={measure} tiers={tiers} />
            ))}
            <Table
              label="Accounts by health, table"
              class="compact"
              columns={columnsOf(tiers)}
              rows={tiers}
            />
          </>
        )}
      </Loaded>
    </Card>
  );
}

function Bar({ measure: { name, read, format }, tiers }: { measure: Measure; tiers: TierTotals["tiers"] }) {
  const total = tiers.reduce((sum, tier) => sum + read(tier), 0);
  return (
    <div class="tier-bar">
      <p>
        <span>{name}</span> <strong>{format(total)}</strong>
      </p>
      <div class="bar" aria-hidden="true">
        {tiers
          .filter((tier) => read(tier) > 0)
          .map((tier) => (
            <span
              key={String(tier.tier)}
              class={colorNameOfTier(tier.tier)}
              style={{ flexGrow: shareOf(read(tier), total) }}
              title={`${nameOfTier(tier.tier)}: ${format(read(tier))}`}
            />
          ))}
      </div>
    </div>
  );
}

function columnsOf(tiers: TierTotals["tiers"]): Column<TierTotals["tiers"][number]>[] {
  const tier: Column<TierTotals["tiers"][number]> = {
    title: "Tier",
    cell: (row) => (
      <a class="plain" href={`/console/accounts?tier=${row.tier ?? "none"}`}>
        <TierName tier={row.tier} />
      </a>
    ),
  };
  const numbers = measures.flatMap(({ name, read, format }): (typeof tier)[] => {
    const total = tiers.reduce((sum, row) => sum + read(row), 0);
    return [
      { title: name, isNumber: true, cell: (row) => format(read(row)) },
      {
        title: "Share",
        isNumber: true,
        class: "share",
        cell: (row) => formatPercent(shareOf(read(row), total)),
      },
    ];
  });
  return [tier, ...numbers];
}
