import { Card, Loaded } from "../../components/card.tsx";
import { ScrollArea } from "../../components/scroll-area.tsx";
import { colorNameOfTier, nameOfTier, TierName } from "../../components/tier.tsx";
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
            <TierTable tiers={tiers} />
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

function TierTable({ tiers }: { tiers: TierTotals["tiers"] }) {
  const accounts = tiers.reduce((sum, tier) => sum + tier.accounts, 0);
  const mrr = tiers.reduce((sum, tier) => sum + tier.mrr, 0);
  return (
    <ScrollArea label="Accounts by health, table">
      <table class="compact">
        <thead>
          <tr>
            <th scope="col">Tier</th>
            <th scope="col" class="number">
              Accounts
            </th>
            <th scope="col" class="number share">
              Share
            </th>
            <th scope="col" class="number">
              MRR
            </th>
            <th scope="col" class="number share">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          {tiers.map((tier) => (
            <tr key={String(tier.tier)}>
              <td>
                <a class="plain" href={`/console/accounts?tier=${tier.tier ?? "none"}`}>
                  <TierName tier={tier.tier} />
                </a>
              </td>
              <td class="number">{formatCount(tier.accounts)}</td>
              <td class="number share">{formatPercent(shareOf(tier.accounts, accounts))}</td>
              <td class="number">{formatMrr(tier.mrr)}</td>
              <td class="number share">{formatPercent(shareOf(tier.mrr, mrr))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}
