import { Card, Empty, Loaded } from "../../components/card.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { TierName } from "../../components/tier.tsx";
import { formatCount, formatMrr, formatPercent } from "../../format.ts";
import type { RequestState } from "../../use-request.ts";
import type { AccountAtRisk, TierTotals } from "./requests.ts";
import { shareOf } from "./share.ts";

const columns: readonly Column<AccountAtRisk>[] = [
  {
    title: "Account",
    class: "name",
    cell: ({ accountId, name }) => <a href={`/console/accounts/${accountId}`}>{name}</a>,
  },
  { title: "Health", cell: (row) => <TierName {...row} /> },
  { title: "MRR", isNumber: true, cell: ({ mrr }) => formatMrr(mrr) },
];

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
            <Table label="Largest accounts at risk" class="compact" columns={columns} rows={rows} />
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
