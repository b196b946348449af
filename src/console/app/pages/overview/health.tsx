import { useState } from "preact/hooks";
import { healthTiers } from "../../../../shared/fields/tiers.ts";
import { tierOf } from "../../../../shared/health.ts";
import { Card, Empty, Loaded } from "../../components/layout.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { colorNameOfTier, type Tier, TierMark, TierName } from "../../components/values.tsx";
import { nameOfTier } from "../../editing/members.ts";
import { formatCount, formatPercent, formatWholeMrr } from "../../format.ts";
import { fields, plots, overview as text } from "../../messages/messages.ts";
import type { RequestState } from "../../use-request.ts";
import type { TierTotals } from "./requests.ts";

const { labels, titles } = fields;

/** `part` of `total`, from 0 to 1; 0 of nothing. Negative revenue counts as 0. */
export function shareOf(part: number, total: number): number {
  return total > 0 ? Math.max(0, part) / total : 0;
}

type Measure = {
  name: string;
  read: (tier: TierTotals["tiers"][number]) => number;
  format: (value: number) => string;
};

const measures: readonly Measure[] = [
  { name: titles.account, read: ({ accounts }) => accounts, format: formatCount },
  { name: labels.mrr, read: ({ mrr }) => mrr, format: formatWholeMrr },
];

/** Accounts and revenue by tier: two bars, and a table with the same numbers as the legend. */
export function HealthCard({ state }: { state: RequestState<TierTotals> }) {
  return (
    <Card title={text.tiers.title} actions={<span class="hint">{text.tiers.scope}</span>}>
      <Loaded state={state} height={16}>
        {({ tiers }) => (
          <>
            {measures.map((measure) => (
              <Bar key={measure.name} measure={measure} tiers={tiers} />
            ))}
            <Table name={text.tiers.title} class="compact" columns={columnsOf(tiers)} rows={tiers} />
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
    title: labels.tier,
    cell: (row) => (
      <span class="tier">
        <TierMark tier={row.tier} />{" "}
        <a href={`/console/accounts?tier=${row.tier ?? "none&status=active%2Conboarding"}`}>
          {nameOfTier(row.tier)}
        </a>
      </span>
    ),
  };
  const numbers = measures.flatMap(({ name, read, format }): (typeof tier)[] => {
    const total = tiers.reduce((sum, row) => sum + read(row), 0);
    return [
      { title: name, isNumber: true, cell: (row) => format(read(row)) },
      {
        title: text.share,
        isNumber: true,
        class: "share muted",
        cell: (row) => formatPercent(shareOf(read(row), total)),
      },
    ];
  });
  return [tier, ...numbers];
}

type Band = { name: string; tier: Tier; count: number };

function bandsOf({ distribution, settings }: TierTotals): Band[] {
  return distribution.map((count, i) => ({
    name: i === 9 ? "90–100" : `${i * 10}–${i * 10 + 9}`,
    tier: tierOf(10 * i, settings),
    count,
  }));
}

const bandColumns: readonly Column<Band>[] = [
  { title: labels.score, isHeading: true, cell: ({ name }) => name },
  { title: labels.tier, cell: ({ tier }) => <TierName tier={tier} /> },
  { title: titles.account, isNumber: true, cell: ({ count }) => formatCount(count) },
];

/** The number of accounts by score, in ten bands. */
export function DistributionCard({ state }: { state: RequestState<TierTotals> }) {
  const [isTable, setIsTable] = useState(false);
  return (
    <Card
      title={text.distribution.title}
      actions={
        <button type="button" class="small" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
          {plots.table}
        </button>
      }
    >
      <Loaded state={state} height={16}>
        {(totals) => {
          const bands = bandsOf(totals);
          if (bands.every(({ count }) => count === 0))
            return <Empty title={text.distribution.none} advice={text.distribution.noneHint} />;
          return isTable ? (
            <Table class="compact" columns={bandColumns} rows={bands} />
          ) : (
            <Histogram bands={bands} />
          );
        }}
      </Loaded>
    </Card>
  );
}

function Histogram({ bands }: { bands: readonly Band[] }) {
  const largest = Math.max(...bands.map(({ count }) => count));
  const label = bands.map(({ name, count }) => text.distribution.band(name, count)).join("; ");
  return (
    <div class="histogram" role="img" aria-label={text.distribution.image(label)}>
      {bands.map(({ name, tier, count }) => (
        <div key={name} class="band" title={text.distribution.bandOfTier(name, nameOfTier(tier), count)}>
          <span class="count">{formatCount(count)}</span>
          <span class={`column ${colorNameOfTier(tier)}`} style={{ "--part": count / largest }} />
          <span class="from">{name.split("–")[0]}</span>
        </div>
      ))}
      {healthTiers.toReversed().map((tier) => (
        <span key={tier} class={`range ${colorNameOfTier(tier)}`}>
          <TierName tier={tier} />
        </span>
      ))}
    </div>
  );
}
