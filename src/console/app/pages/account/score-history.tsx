import { api } from "../../api.ts";
import { Card, Empty, Loaded } from "../../components/layout.tsx";
import { DayPlot, type Series } from "../../components/plot.tsx";
import { dayBefore, daysBetween } from "../../days.ts";
import { messages } from "../../messages/messages.ts";
import { useRequest } from "../../use-request.ts";

const text = messages.account.scores;
const dayCount = 90;

type ScoreHistory = { days: string[]; series: Series[]; hasScore: boolean };

async function loadScores(accountId: number, signal: AbortSignal): Promise<ScoreHistory> {
  const from = dayBefore(dayCount - 1);
  const to = dayBefore(0);
  const params = { path: { accountId }, query: { from, to } };
  const { data } = await api.GET("/api/v1/accounts/{accountId}/health/history", { params, signal });
  const scores = new Map(data.data.map(({ day, score }) => [day, score]));
  const days = daysBetween(from, to);
  const values = days.map((day) => scores.get(day) ?? null);
  const series = [{ name: text.series, color: "--series-1", values }];
  return { days, series, hasScore: values.some((value) => value !== null) };
}

/** The score of each day. */
export function ScoreHistoryCard({ accountId, version }: { accountId: number; version: number }) {
  const state = useRequest((signal) => loadScores(accountId, signal), [accountId, version]);
  const title = text.title(dayCount);
  return (
    <Card title={title}>
      <Loaded state={state} height={18}>
        {({ days, series, hasScore }) =>
          hasScore ? (
            <DayPlot title={title} days={days} series={series} shape="line" max={100} />
          ) : (
            <Empty title={text.empty(dayCount)} advice={text.advice} />
          )
        }
      </Loaded>
    </Card>
  );
}
