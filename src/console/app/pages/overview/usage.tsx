import { useMemo } from "preact/hooks";
import { Card, Empty, Loaded } from "../../components/layout.tsx";
import { DayPlot } from "../../components/plot.tsx";
import { formatCount, formatDay } from "../../format.ts";
import type { RequestState } from "../../use-request.ts";
import type { UsageDays } from "./usage-days.ts";

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
