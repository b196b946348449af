import { useState } from "preact/hooks";
import { healthTiers } from "../../../../shared/fields/tiers.ts";
import { nameOfTier, tierOf } from "../../../../shared/health.ts";
import { Card, Empty, Loaded } from "../../components/layout.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { colorNameOfTier, type Tier, TierName } from "../../components/values.tsx";
import { formatCount, formatMrr, formatPercent } from "../../format.ts";
import type { RequestState } from "../../use-request.ts";
import type { AccountAtRisk, TierTotals } from "./requests.ts";

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
            <p class="hint">Active and onboarding accounts</p>
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
      <a class="plain" href={`/console/accounts?tier=${row.tier ?? "none&status=active%2Conboarding"}`}>
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

type Band = { name: string; tier: Tier; count: number };

function bandsOf({ distribution, settings }: TierTotals): Band[] {
  return distribution.map((count, i) => ({
    name: i === 9 ? "90–100" : `${i * 10}–${i * 10 + 9}`,
    tier: tierOf(10 * i, settings),
    count,
  }));
}

const bandColumns: readonly Column<Band>[] = [
  { title: "Score", isHeading: true, cell: ({ name }) => name },
  { title: "Tier", cell: ({ tier }) => <TierName tier={tier} /> },
  { title: "Accounts", isNumber: true, cell: ({ count }) => formatCount(count) },
];

/** The number of accounts by score, in ten bands. */
export function DistributionCard({ state }: { state: RequestState<TierTotals> }) {
  const [isTable, setIsTable] = useState(false);
  return (
    <Card
      title="Score distribution"
      actions={
        <button type="button" class="small" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
          Table
        </button>
      }
    >
      <Loaded state={state} height={16}>
        {(totals) => {
          const bands = bandsOf(totals);
          if (bands.every(({ count }) => count === 0))
            return (
              <Empty title="No account has a score yet">
                <p>A score needs contact activity, usage events, meetings or requests.</p>
              </Empty>
            );
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
  const text = bands.map(({ name, count }) => `${name}: ${formatCount(count)}`).join("; ");
  return (
    <div class="histogram" role="img" aria-label={`Accounts by score. ${text}`}>
      {bands.map(({ name, tier, count }) => (
        <div key={name} class="band" title={`Scores ${name}, ${nameOfTier(tier)}: ${formatCount(count)}`}>
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

const riskColumns: readonly Column<AccountAtRisk>[] = [
  {
    title: "Account",
    class: "name",
    cell: ({ accountId, name }) => <a href={`/console/accounts/${accountId}`}>{name}</a>,
  },
  { title: "Health", cell: (row) => <TierName {...row} /> },
  { title: "MRR", isNumber: true, cell: ({ mrr }) => formatMrr(mrr) },
];

type AtRiskCardProps = { summary: RequestState<TierTotals>; accounts: RequestState<AccountAtRisk[]> };

/** The revenue of accounts at risk and critical, and the largest of these accounts. */
export function AtRiskCard({ summary, accounts }: AtRiskCardProps) {
  return (
    <Card
      title="MRR at risk"
      actions={
        <a href="/console/accounts?tier=at_risk%2Ccritical&sortBy=mrr&sortOrder=desc">All accounts at risk</a>
      }
    >
      {/* A problem of the summary is shown where its numbers are. */}
      {summary.error === undefined && (
        <Loaded state={summary} height={3}>
          {({ tiers }) => <Figure tiers={tiers} />}
        </Loaded>
      )}
      <Loaded state={accounts} height={14}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No account is at risk">
              <p>Accounts with a score below 60 are listed here.</p>
            </Empty>
          ) : (
            <Table label="Largest accounts at risk" class="compact" columns={riskColumns} rows={rows} />
          )
        }
      </Loaded>
    </Card>
  );
}

function Figure({ tiers }: { tiers: TierTotals["tiers"] }) {
  const atRisk = tiers.filter(({ tier }) => tier === "at_risk" || tier === "critical");
  const mrr = atRisk.reduce((sum, tier) => sum + tier.mrr, 0);
  const total = tiers.reduce((sum, tier) => sum + tier.mrr, 0);
  const count = atRisk.reduce((sum, tier) => sum + tier.accounts, 0);
  return (
    <p class="figure-line">
      <span class="figure">{formatMrr(mrr)}</span>{" "}
      <span class="hint">
        {formatPercent(shareOf(mrr, total))} of MRR, {formatCount(count)}{" "}
        {count === 1 ? "account" : "accounts"} at risk or critical
      </span>
    </p>
  );
}
