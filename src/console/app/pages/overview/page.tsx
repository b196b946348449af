import "../../styles/overview.css";
import { Loaded, PageTitle } from "../../components/layout.tsx";
import { overview as text } from "../../messages/messages.ts";
import { useRequest } from "../../use-request.ts";
import { AtRiskCard } from "./at-risk.tsx";
import { ChangesCard, StatusCard, UnmatchedCard, UsageCard } from "./cards.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { DistributionCard, HealthCard } from "./health.tsx";
import { MovesCard } from "./moves-card.tsx";
import {
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
  const isEmpty = summary.data?.statuses.every(({ accounts }) => accounts === 0);
  return (
    <>
      <PageTitle title={text.title}>
        {summary.data && <p class="hint">{text.asOf(summary.data.asOf)}</p>}
      </PageTitle>
      {isEmpty ? (
        <div class="stack first-use">
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

/** What needs attention first, then all accounts, then what happened. */
function Dashboard({ summary, unmatched }: DashboardProps) {
  const atRisk = useRequest(readAccountsAtRisk, []);
  const usage = useRequest(readUsage, [], { isLive: false });
  const changes = useRequest(readChanges, []);
  return (
    <div class="stack overview">
      <AtRiskCard summary={summary} accounts={atRisk} />
      <MovesCard state={changes} />
      <HealthCard state={summary} />
      <DistributionCard state={summary} />
      <UsageCard state={usage} />
      <ChangesCard state={changes} />
      <StatusCard state={summary} />
      <UnmatchedCard state={unmatched} />
    </div>
  );
}
