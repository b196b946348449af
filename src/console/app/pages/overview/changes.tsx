import { useMemo } from "preact/hooks";
import { resourceNames, resources } from "../../../../shared/resources.ts";
import { Card, Empty, Loaded } from "../../components/card.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatCount, formatTime } from "../../format.ts";
import type { RequestState } from "../../use-request.ts";
import { type ResourceCounts, summarize } from "./change-summary.ts";
import { MoveList } from "./moves.tsx";
import type { RecentChanges } from "./recent-changes.ts";

/** What changed in the last 7 days: worse health first, then better health, then the counts of other changes. */
export function ChangesCard({ state }: { state: RequestState<RecentChanges> }) {
  return (
    <Card title="Changes in the last 7 days">
      <Loaded state={state} height={20}>
        {(recent) => <Summary recent={recent} />}
      </Loaded>
    </Card>
  );
}

function Summary({ recent: { changes, isCut } }: { recent: RecentChanges }) {
  const { drops, rises, firstScoreCount, counts } = useMemo(() => summarize(changes), [changes]);
  const first = changes[0];
  const last = changes.at(-1);
  if (!first || !last)
    return (
      <Empty title="Nothing changed">
        <p>Changes of {resourceNames.join(", ")} and health are listed here.</p>
      </Empty>
    );
  return (
    <>
      {isCut && (
        <p class="hint">
          There are too many changes to read here. These {formatCount(changes.length)} are from{" "}
          {formatTime(first.time)} to {formatTime(last.time)}.
        </p>
      )}
      <MoveList title="Lower tier" moves={drops} emptyText="No account fell to a lower tier." />
      {rises.length > 0 && <MoveList title="Higher tier" moves={rises} isClosed />}
      {firstScoreCount > 0 && (
        <p class="hint first-scores">
          {formatCount(firstScoreCount)} {firstScoreCount === 1 ? "account" : "accounts"} without a score got
          one.
        </p>
      )}
      <Table class="compact counts" columns={countColumns} rows={counts} />
    </>
  );
}

const names: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(resources).map(({ noun, title }) => [noun, `${title}s`]),
);
const countColumns: readonly Column<ResourceCounts>[] = [
  { title: "Other changes", isHeading: true, cell: ({ resource }) => names[resource] ?? resource },
  { title: "Created", isNumber: true, cell: ({ created }) => formatCount(created) },
  { title: "Updated", isNumber: true, cell: ({ updated }) => formatCount(updated) },
  { title: "Deleted", isNumber: true, cell: ({ deleted }) => formatCount(deleted) },
];
