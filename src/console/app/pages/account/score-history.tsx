import { api } from "../../api.ts";
import { Card, Empty, Loaded } from "../../components/layout.tsx";
import { DayPlot, type Series } from "../../components/plot.tsx";
import { dayBefore, daysBetween } from "../../days.ts";
import { useRequest } from "../../use-request.ts";

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
  const series = [{ name: "Score", color: "--series-1", values }];
  return { days, series, hasScore: values.some((value) => value !== null) };
}

/** The score of each day. */
export function ScoreHistoryCard({ accountId, version }: { accountId: number; version: number }) {
  const state = useRequest((signal) => loadScores(accountId, signal), [accountId, version]);
  const title = `Score over the last ${dayCount} days`;
  return (
    <Card title={title}>
      <Loaded state={state} height={18}>
        {({ days, series, hasScore }) =>
          hasScore ? (
            <DayPlot title={title} days={days} series={series} max={100} />
          ) : (
            <Empty title={`No score in the last ${dayCount} days`}>
              <p>The card “Health” shows what would give one.</p>
            </Empty>
          )
        }
      </Loaded>
    </Card>
  );
}
