import { Card, Empty, Loaded } from "../../components/layout.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { TierName } from "../../components/values.tsx";
import { formatWholeMrr } from "../../format.ts";
import { fields, overview } from "../../messages/messages.ts";
import type { RequestState } from "../../use-request.ts";
import { shareOf } from "./health.tsx";
import type { AccountAtRisk, TierTotals } from "./requests.ts";

const text = overview.risk;
const { labels } = fields;

const riskColumns: readonly Column<AccountAtRisk>[] = [
  {
    title: labels.accountId,
    cell: ({ accountId, name }) => <a href={`/console/accounts/${accountId}`}>{name}</a>,
  },
  { title: overview.health, cell: (row) => <TierName {...row} /> },
  { title: labels.mrr, isNumber: true, cell: ({ mrr }) => formatWholeMrr(mrr) },
];

type AtRiskCardProps = { summary: RequestState<TierTotals>; accounts: RequestState<AccountAtRisk[]> };

/** The revenue of accounts at risk and critical, and the largest of these accounts. */
export function AtRiskCard({ summary, accounts }: AtRiskCardProps) {
  return (
    <Card
      title={text.title}
      actions={<a href="/console/accounts?tier=at_risk%2Ccritical&sortBy=mrr&sortOrder=desc">{text.all}</a>}
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
            <Empty title={text.none} advice={text.noneHint} />
          ) : (
            <Table label={text.largest} class="compact" columns={riskColumns} rows={rows} />
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
      <span class="figure">{formatWholeMrr(mrr)}</span>{" "}
      <span class="hint">{text.shareOf(shareOf(mrr, total), count)}</span>
    </p>
  );
}
