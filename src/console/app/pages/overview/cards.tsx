import { useMemo } from "preact/hooks";
import { accountFields } from "../../../../shared/fields/accounts.ts";
import { Card, Empty, Loaded } from "../../components/layout.tsx";
import { DayPlot } from "../../components/plot.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatCount, formatDay, formatPercent } from "../../format.ts";
import { useSession } from "../../session.ts";
import type { RequestState } from "../../use-request.ts";
import type { UnmatchedEntry } from "../unmatched/requests.ts";
import { shareOf } from "./health.tsx";
import type { StatusCount } from "./requests.ts";
import type { UsageDays } from "./usage-days.ts";

/** What to do first, for an organization without accounts. */
export function FirstSteps() {
  const { can, organization } = useSession();
  return (
    <Card title={`${organization.name} has no accounts yet`}>
      <ol class="steps">
        <li>
          <h3>Add accounts</h3>
          {can("write") ? (
            <>
              <p>
                Import a CSV file of your customers, with an external id for each: the id that your product
                uses.
              </p>
              <p class="row">
                <a class="button primary" href="/console/import">
                  Import accounts
                </a>
                <a class="button" href="/console/accounts">
                  Create one account
                </a>
              </p>
            </>
          ) : (
            <p>
              This key cannot create accounts. Sign in with a key that has the scope <code>write</code>, or
              import them with such a key.
            </p>
          )}
        </li>
        <li>
          <h3>Send usage events</h3>
          <p>
            Name the account by its external id. Replace <code>YOUR_KEY</code> by a key with the scope{" "}
            <code>events</code>.
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard. */}
          <pre class="scroll" tabIndex={0}>
            <code>{commandOf(location.origin)}</code>
          </pre>
        </li>
        <li>
          <h3>Read the health</h3>
          <p>Scores appear here as soon as contact activity, usage, meetings or requests are known.</p>
        </li>
      </ol>
    </Card>
  );
}

function commandOf(origin: string): string {
  return [
    `curl -H 'x-api-key: YOUR_KEY' -H 'content-type: application/json' \\`,
    `  ${origin}/api/v1/events \\`,
    `  -d '{"events":[{"externalId":"acme","event":"report.exported","userId":"ada"}]}'`,
  ].join("\n");
}

export function StatusCard({ state }: { state: RequestState<StatusCount[]> }) {
  return (
    <Card title="Accounts by status">
      <Loaded state={state} height={9}>
        {(rows) => {
          const total = rows.reduce((sum, { count }) => sum + count, 0);
          return (
            <ul class="meters">
              {rows.map(({ status, count }) => (
                <li key={status}>
                  <a class="plain" href={`/console/accounts?status=${status}`}>
                    {accountFields.status.valueLabels[status]}
                  </a>
                  <span class="number">
                    {formatCount(count)} <span class="hint">{formatPercent(shareOf(count, total))}</span>
                  </span>
                  <span class="bar thin" aria-hidden="true">
                    <span style={{ width: `${shareOf(count, total) * 100}%` }} hidden={count === 0} />
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Card>
  );
}

const columns: readonly Column<UnmatchedEntry>[] = [
  { title: "Id", class: "clip", cell: ({ externalId }) => <code title={externalId}>{externalId}</code> },
  { title: "Events", isNumber: true, cell: ({ count }) => formatCount(count) },
];

type UnmatchedCardProps = { state: RequestState<{ entries: UnmatchedEntry[]; total: number }> };

/** External ids of events that no account has: the number, and those with the most events. */
export function UnmatchedCard({ state }: UnmatchedCardProps) {
  return (
    <Card title="Unmatched ids" actions={<a href="/console/unmatched">All unmatched ids</a>}>
      <Loaded state={state} height={9}>
        {({ entries, total }) =>
          total === 0 ? (
            <p class="hint">Every event belongs to an account.</p>
          ) : (
            <>
              <p class="figure-line">
                <span class="figure">{formatCount(total)}</span>{" "}
                <span class="hint">
                  {total === 1 ? "id" : "ids"} without an account. Their events are not counted.
                </span>
              </p>
              <Table class="compact fixed" columns={columns} rows={entries} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

/** Events by day over 90 days. */
export function UsageCard({ state }: { state: RequestState<UsageDays> }) {
  return (
    <Card title="Events per day, 90 days">
      <Loaded state={state} height={13}>
        {({ days, counts, isCut }) => {
          const total = counts.reduce((sum, count) => sum + count, 0);
          const first = days[0];
          if (total === 0 && !isCut)
            return (
              <Empty title="No events in the last 90 days">
                <p>
                  Send usage events by <code>POST /api/v1/events</code>. The <a href="/docs">API reference</a>{" "}
                  has examples.
                </p>
              </Empty>
            );
          return (
            <>
              <p class="hint">
                {formatCount(total)} events
                {isCut &&
                  first !== undefined &&
                  ` since ${formatDay(first)}. Days before have too many different events.`}
                {isCut && first === undefined && ": there are too many different events to add up here."}
              </p>
              <EventPlot days={days} counts={counts} />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

function EventPlot({ days, counts }: Pick<UsageDays, "days" | "counts">) {
  // The plot is drawn again when its series is another object.
  const series = useMemo(() => [{ name: "Events", color: "--series-1", values: counts }], [counts]);
  return <DayPlot title="Events per day" days={days} series={series} isStacked />;
}
