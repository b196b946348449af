import { useState } from "preact/hooks";
import { healthTiers } from "../../../../shared/fields/tiers.ts";
import { nameOfTier, tierOf } from "../../../../shared/health.ts";
import { Card, Empty, Loaded } from "../../components/card.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { colorNameOfTier, type Tier, TierName } from "../../components/tier.tsx";
import { formatCount } from "../../format.ts";
import type { RequestState } from "../../use-request.ts";
import type { TierTotals } from "./requests.ts";

type Band = { name: string; tier: Tier; count: number };

function bandsOf(distribution: readonly number[]): Band[] {
  return distribution.map((count, i) => ({
    name: i === 9 ? "90–100" : `${i * 10}–${i * 10 + 9}`,
    tier: tierOf(10 * i),
    count,
  }));
}

const columns: readonly Column<Band>[] = [
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
        {({ distribution }) => {
          const bands = bandsOf(distribution);
          if (bands.every(({ count }) => count === 0))
            return (
              <Empty title="No account has a score yet">
                <p>A score needs contact activity, usage events, meetings or requests.</p>
              </Empty>
            );
          return isTable ? (
            <Table class="compact" columns={columns} rows={bands} />
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
