import { oneOf, readView } from "../../address.ts";
import { api } from "../../api.ts";
import { Card, Empty, Loaded } from "../../components/layout.tsx";
import { DayPlot, Legend, type Series } from "../../components/plot.tsx";
import { dayBefore, daysBetween } from "../../days.ts";
import { formatDay } from "../../format.ts";
import { account as accountTexts, fields } from "../../messages/messages.ts";
import { setQuery, usePlace } from "../../router.ts";
import { useRequest } from "../../use-request.ts";
import { readCompleteDays, type UsageSeries, usageSeries } from "./usage-series.ts";

const { usage: text, scores: scoresText } = accountTexts;
const scoreDays = 90;
const ranges = [28, 90, 365] as const;

export const accountParameters = { days: oneOf(ranges.map(String), "28") };

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
  const days = Number(readView(usePlace().query, accountParameters).days);
  const state = useRequest((signal) => loadUsage(accountId, days, signal), [accountId, days, version], {
    isLive: false,
  });
  return (
    <Card
      title={text.title}
      actions={
        <fieldset class="choice" aria-label={text.ranges}>
          {ranges.map((range) => (
            <button
              key={range}
              type="button"
              aria-pressed={range === days}
              onClick={() =>
                setQuery({ days: range === ranges[0] ? undefined : String(range) }, { isReplaced: true })
              }
            >
              {text.range(range)}
            </button>
          ))}
        </fieldset>
      }
    >
      <Loaded state={state} height={20}>
        {(usage) =>
          usage.events.length === 0 && !usage.isCut ? (
            <Empty title={text.empty(days)} advice={[text.advice, <code>{text.endpoint}</code>]} />
          ) : (
            <>
              {usage.isCut && <p class="hint">{cutText(usage.lastDay)}</p>}
              <div class="plots">
                <DayPlot title={text.events} hasTitle days={usage.days} series={usage.events} />
                <DayPlot title={text.users} hasTitle days={usage.days} series={usage.users} shape="grouped" />
              </div>
              <Legend series={usage.events} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function cutText(lastDay: string | undefined): string {
  return lastDay === undefined ? text.tooMany : text.cut(formatDay(lastDay));
}

type ScoreHistory = { days: string[]; series: Series[]; hasScore: boolean };

async function loadScores(accountId: number, signal: AbortSignal): Promise<ScoreHistory> {
  const from = dayBefore(scoreDays - 1);
  const to = dayBefore(0);
  const params = { path: { accountId }, query: { from, to } };
  const { data } = await api.GET("/api/v1/accounts/{accountId}/health/history", { params, signal });
  const scores = new Map(data.data.map(({ day, score }) => [day, score]));
  const days = daysBetween(from, to);
  const values = days.map((day) => scores.get(day) ?? null);
  const series = [{ name: fields.labels.score, color: "--series-1", values }];
  return { days, series, hasScore: values.some((value) => value !== null) };
}

/** The score of each day. */
export function ScoreHistoryCard({ accountId, version }: { accountId: number; version: number }) {
  const state = useRequest((signal) => loadScores(accountId, signal), [accountId, version]);
  const title = scoresText.title(scoreDays);
  return (
    <Card title={title}>
      <Loaded state={state} height={18}>
        {({ days, series, hasScore }) =>
          hasScore ? (
            <DayPlot title={title} days={days} series={series} shape="line" max={100} />
          ) : (
            <Empty title={scoresText.empty(scoreDays)} advice={scoresText.advice} />
          )
        }
      </Loaded>
    </Card>
  );
}
