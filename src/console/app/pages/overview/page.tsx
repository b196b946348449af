import "../../styles/overview.css";
import { Loaded, PageTitle } from "../../components/layout.tsx";
import { formatTime } from "../../format.ts";
import { useRequest } from "../../use-request.ts";
import { FirstSteps, StatusCard, UnmatchedCard, UsageCard } from "./cards.tsx";
import { ChangesCard } from "./changes.tsx";
import { AtRiskCard, DistributionCard, HealthCard } from "./health.tsx";
import {
  countByStatus,
  readAccountsAtRisk,
  readChanges,
  readHealthSummary,
  readUnmatched,
  readUsage,
  type TierTotals,
} from "./requests.ts";

/** The organization at a glance. */
export function OverviewPage() {
  const summary = useRequest(readHealthSummary, []);
  const unmatched = useRequest(readUnmatched, []);
  const isEmpty = summary.data !== undefined && hasNoAccounts(summary.data);
  return (
    <>
      <PageTitle title="Overview">
        {summary.data && <p class="hint">Health as of {formatTime(summary.data.asOf)}</p>}
      </PageTitle>
      {isEmpty ? (
        <div class="first-use">
          <FirstSteps />
          <Loaded state={unmatched}>{({ total }) => total > 0 && <UnmatchedCard state={unmatched} />}</Loaded>
        </div>
      ) : (
        <Dashboard summary={summary} unmatched={unmatched} />
      )}
    </>
  );
}

type DashboardProps = {
  summary: ReturnType<typeof useRequest<TierTotals>>;
  unmatched: ReturnType<typeof useRequest<Awaited<ReturnType<typeof readUnmatched>>>>;
};

function Dashboard({ summary, unmatched }: DashboardProps) {
  const atRisk = useRequest(readAccountsAtRisk, []);
  const statuses = useRequest(countByStatus, []);
  const usage = useRequest(readUsage, []);
  const changes = useRequest(readChanges, []);
  return (
    <div class="overview">
      <HealthCard state={summary} />
      <DistributionCard state={summary} />
      <AtRiskCard summary={summary} accounts={atRisk} />
      <ChangesCard state={changes} />
      <UsageCard state={usage} />
      <StatusCard state={statuses} />
      <UnmatchedCard state={unmatched} />
    </div>
  );
}

function hasNoAccounts({ statuses }: TierTotals): boolean {
  return statuses.every(({ accounts }) => accounts === 0);
}
