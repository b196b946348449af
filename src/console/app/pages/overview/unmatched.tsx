import { Card, Loaded } from "../../components/layout.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatCount } from "../../format.ts";
import type { RequestState } from "../../use-request.ts";
import type { UnmatchedEntry } from "../unmatched/requests.ts";

const columns: readonly Column<UnmatchedEntry>[] = [
  { title: "Id", class: "clip", cell: ({ externalId }) => <code title={externalId}>{externalId}</code> },
  { title: "Events", isNumber: true, cell: ({ count }) => formatCount(count) },
];

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
              <Table class="compact fixed" columns={columns} rows={entries} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
