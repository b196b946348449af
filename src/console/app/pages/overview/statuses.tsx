import { Card, Loaded } from "../../components/layout.tsx";
import { formatCount, formatPercent } from "../../format.ts";
import { type Status, statusNames } from "../../statuses.ts";
import type { RequestState } from "../../use-request.ts";
import { shareOf } from "./share.ts";

/** The number of accounts of each status. */
export function StatusCard({ state }: { state: RequestState<{ status: Status; count: number }[]> }) {
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
                    {statusNames[status]}
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
