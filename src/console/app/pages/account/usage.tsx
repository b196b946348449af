import type { ParameterRules } from "../../address.ts";
import { api } from "../../api.ts";
import { Card, Empty, Loaded } from "../../components/layout.tsx";
import { DayPlot } from "../../components/plot.tsx";
import { dayBefore } from "../../days.ts";
import { formatDay } from "../../format.ts";
import { setQuery, usePlace } from "../../router.ts";
import { useRequest } from "../../use-request.ts";
import { readCompleteDays, type UsageSeries, usageSeries } from "./usage-series.ts";

const ranges = [28, 90, 365] as const;

export const accountParameters: ParameterRules = {
  days: (value) => ranges.some((range) => String(range) === value),
};

/** `lastDay` is the last complete day, where later ones have too many different events. */
type AccountUsage = UsageSeries & { isCut: boolean; lastDay: string | undefined };

async function loadUsage(accountId: number, days: number, signal: AbortSignal): Promise<AccountUsage> {
  const from = dayBefore(days - 1);
  const to = dayBefore(0);
  const params = { path: { accountId }, query: { from, to, pageSize: 1000 } };
  const list = api.list("/api/v1/accounts/{accountId}/usage", { params, signal });
  const { rows, isCut } = await readCompleteDays(list);
  const lastDay = rows.at(-1)?.day;
  return { ...usageSeries(rows, from, isCut ? (lastDay ?? from) : to), isCut, lastDay };
}

/** Events and their users by day. `version` changes when events may have been attached to the account. */
export function UsageCard({ accountId, version }: { accountId: number; version: string | null }) {
  const { query } = usePlace();
  const days = ranges.find((range) => String(range) === query.get("days")) ?? ranges[0];
  const state = useRequest((signal) => loadUsage(accountId, days, signal), [accountId, days, version]);
  return (
    <Card
      title="Usage"
      isWide
      actions={
        <fieldset class="choice" aria-label="Days of usage">
          {ranges.map((range) => (
            <button
              key={range}
              type="button"
              aria-pressed={range === days}
              onClick={() =>
                setQuery({ days: range === ranges[0] ? undefined : String(range) }, { isReplaced: true })
              }
            >
              {range} days
            </button>
          ))}
        </fieldset>
      }
    >
      <Loaded state={state} height={20}>
        {(usage) =>
          usage.events.length === 0 && !usage.isCut ? (
            <Empty title={`No usage in the last ${days} days`}>
              <p>
                Send events with the external id or the id of this account: <code>POST /api/v1/events</code>.
              </p>
            </Empty>
          ) : (
            <>
              {usage.isCut && <p class="hint">{cutText(usage.lastDay)}</p>}
              <div class="plots">
                <div>
                  <h3>Events by day</h3>
                  <DayPlot title="Events by day" days={usage.days} series={usage.events} isStacked />
                </div>
                <div>
                  <h3>Distinct users by event and day</h3>
                  <DayPlot title="Distinct users by event and day" days={usage.days} series={usage.users} />
                </div>
              </div>
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function cutText(lastDay: string | undefined): string {
  return lastDay === undefined
    ? "There are too many different events to show here."
    : `Days after ${formatDay(lastDay)} have too many different events. Choose fewer days.`;
}
