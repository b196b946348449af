import { useMemo } from "preact/hooks";
import { Card, Empty, Loaded } from "../../components/layout.tsx";
import { DayPlot } from "../../components/plot.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatCount, formatPercent } from "../../format.ts";
import { fields, shell, overview as text, unmatched } from "../../messages/messages.ts";
import type { RequestState } from "../../use-request.ts";
import type { UnmatchedEntry } from "../unmatched/requests.ts";
import { countByResource, countNewScores, type ResourceCounts } from "./change-counts.ts";
import { shareOf } from "./health.tsx";
import type { TierTotals } from "./requests.ts";
import type { ChangeSummary } from "./tier-moves.ts";
import type { UsageDays } from "./usage-days.ts";

export function StatusCard({ state }: { state: RequestState<TierTotals> }) {
  return (
    <Card title={text.statuses.title}>
      <Loaded state={state} height={9}>
        {({ statuses }) => {
          const total = statuses.reduce((sum, { accounts }) => sum + accounts, 0);
          return (
            <ul class="meters">
              {statuses.map(({ status, accounts }) => (
                <li key={status}>
                  <a href={`/console/accounts?status=${status}`}>{fields.values.status[status]}</a>
                  <span class="number">
                    {formatCount(accounts)}{" "}
                    <span class="hint">{formatPercent(shareOf(accounts, total))}</span>
                  </span>
                  <span class="bar thin" aria-hidden="true">
                    <span style={{ width: `${shareOf(accounts, total) * 100}%` }} hidden={accounts === 0} />
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
  {
    title: unmatched.id,
    class: "clip",
    cell: ({ externalId }) => <code title={externalId}>{externalId}</code>,
  },
  { title: unmatched.events, isNumber: true, cell: ({ count }) => formatCount(count) },
];

type UnmatchedCardProps = { state: RequestState<{ entries: UnmatchedEntry[]; total: number }> };

/** External ids of events that no account has: the number, and those with the most events. */
export function UnmatchedCard({ state }: UnmatchedCardProps) {
  return (
    <Card title={unmatched.title} actions={<a href="/console/unmatched">{text.pending.all}</a>}>
      <Loaded state={state} height={9}>
        {({ entries, total }) =>
          total === 0 ? (
            <p class="hint">{text.pending.none}</p>
          ) : (
            <>
              <p class="figure-line">
                <span class="figure">{formatCount(total)}</span>{" "}
                <span class="hint">{text.pending.ids(total)}</span>
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
    <Card title={text.usage.title}>
      <Loaded state={state} height={13}>
        {({ days, counts, isCut }) => {
          const total = counts.reduce((sum, count) => sum + count, 0);
          if (total === 0 && !isCut)
            return (
              <Empty
                title={text.usage.none}
                advice={[text.usage.noneHint, " ", <a href="/docs">{shell.reference}</a>]}
              />
            );
          return (
            <>
              <p class="hint">{usageText(total, days, isCut)}</p>
              <EventPlot days={days} counts={counts} />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

function usageText(total: number, days: readonly string[], isCut: boolean): string {
  if (!isCut) return text.usage.total(total, days.length);
  return days[0] === undefined ? text.usage.cut : text.usage.cutSince(total, days[0]);
}

function EventPlot({ days, counts }: Pick<UsageDays, "days" | "counts">) {
  // The plot is drawn again when its series is another object.
  const series = useMemo(() => [{ name: text.usage.series, color: "--series-1", values: counts }], [counts]);
  return <DayPlot title={text.usage.title} days={days} series={series} />;
}

const changeColumns: readonly Column<ResourceCounts>[] = [
  { title: text.changes.resource, isHeading: true, cell: ({ resource }) => fields.titles[resource] },
  { title: text.changes.created, isNumber: true, cell: ({ created }) => formatCount(created) },
  { title: text.changes.updated, isNumber: true, cell: ({ updated }) => formatCount(updated) },
  { title: text.changes.deleted, isNumber: true, cell: ({ deleted }) => formatCount(deleted) },
];

/** The numbers of changes in the last 7 days. */
export function ChangesCard({ state }: { state: RequestState<{ summary: ChangeSummary }> }) {
  return (
    <Card title={text.changes.title}>
      <Loaded state={state} height={9}>
        {({ summary }) => {
          const newScores = countNewScores(summary);
          if (summary.counts.length === 0)
            return <Empty title={text.changes.none} advice={text.changes.noneHint} />;
          return (
            <>
              <Table class="compact" columns={changeColumns} rows={countByResource(summary)} />
              {newScores > 0 && <p class="hint">{text.changes.newScores(newScores)}</p>}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
