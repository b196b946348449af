import { Card, Empty, Loaded } from "../../components/card.tsx";
import { ScrollArea } from "../../components/scroll-area.tsx";
import { TierName } from "../../components/tier.tsx";
import { formatCount, formatMrr, formatPercent } from "../../format.ts";
import type { RequestState } from "../../use-request.ts";
import type { AccountAtRisk, TierTotals } from "./requests.ts";
import { shareOf } from "./share.ts";

/** The revenue of accounts at risk and critical, and the largest of these accounts. */
export function AtRiskCard({
  summary,
  accounts,
}: {
  summary: RequestState<TierTotals>;
  accounts: RequestState<AccountAtRisk[]>;
}) {
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
            <AccountTable rows={rows} />
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

function AccountTable({ rows }: { rows: readonly AccountAtRisk[] }) {
  return (
    <ScrollArea label="Largest accounts at risk">
      <table class="compact">
        <thead>
          <tr>
            <th scope="col">Account</th>
            <th scope="col">Health</th>
            <th scope="col" class="number">
              MRR
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ accountId, name, tier, score, mrr }) => (
            <tr key={accountId}>
              <td class="name">
                <a href={`/console/accounts/${accountId}`}>{name}</a>
              </td>
              <td>
                <TierName tier={tier} score={score} />
              </td>
              <td class="number">{formatMrr(mrr)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}
