import { Card, Empty, Loaded } from "../../components/layout.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatCount } from "../../format.ts";
import { messages } from "../../messages/messages.ts";
import type { RequestState } from "../../use-request.ts";
import { countByResource, countNewScores, type ResourceCounts } from "./change-counts.ts";
import type { ChangeSummary } from "./tier-moves.ts";

const text = messages.overview.changes;
const columns: readonly Column<ResourceCounts>[] = [
  { title: text.resource, isHeading: true, cell: ({ resource }) => text.names[resource] },
  { title: text.created, isNumber: true, cell: ({ created }) => formatCount(created) },
  { title: text.updated, isNumber: true, cell: ({ updated }) => formatCount(updated) },
  { title: text.deleted, isNumber: true, cell: ({ deleted }) => formatCount(deleted) },
];

/** The numbers of changes in the last 7 days. */
export function ChangesCard({ state }: { state: RequestState<{ summary: ChangeSummary }> }) {
  return (
    <Card title={text.title}>
      <Loaded state={state} height={9}>
        {({ summary }) => {
          const newScores = countNewScores(summary);
          if (summary.counts.length === 0) return <Empty title={text.none} advice={text.noneHint} />;
          return (
            <>
              <Table class="compact" columns={columns} rows={countByResource(summary)} />
              {newScores > 0 && <p class="hint">{text.newScores(newScores)}</p>}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
