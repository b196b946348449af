import { Card, Loaded } from "../../components/card.tsx";
import { formatCount } from "../../format.ts";
import type { RequestState } from "../../use-request.ts";
import type { UnmatchedEntry } from "../unmatched/requests.ts";

/** External ids of events that no account has: the number, and those with the most events. */
export function UnmatchedCard({
  state,
}: {
  state: RequestState<{ entries: UnmatchedEntry[]; total: number }>;
}) {
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
              <table class="compact fixed">
                <thead>
                  <tr>
                    <th scope="col">Id</th>
                    <th scope="col" class="number">
                      Events
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {entries.map(({ externalId, count }) => (
                    <tr key={externalId}>
                      <td class="clip" title={externalId}>
                        <code>{externalId}</code>
                      </td>
                      <td class="number">{formatCount(count)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
