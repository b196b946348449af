import { useMemo, useState } from "preact/hooks";
import { ProblemError } from "../../../../../clients/typescript/src/problem.ts";
import { resourceNames, resources } from "../../../../shared/resources.ts";
import { api } from "../../api.ts";
import { Card, Empty, Loaded } from "../../components/layout.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Age, TierName } from "../../components/values.tsx";
import { formatCount, formatTime } from "../../format.ts";
import { type RequestState, useRequest } from "../../use-request.ts";
import { type RecentChanges, type ResourceCounts, summarize, type TierMove } from "./recent-changes.ts";

const pageSize = 6;

type MoveListProps = { title: string; moves: readonly TierMove[]; emptyText?: string; isClosed?: boolean };

/** Accounts whose tier changed, with both tiers, a few at a time. */
function MoveList({ title, moves, emptyText, isClosed = false }: MoveListProps) {
  const [shownCount, setShownCount] = useState(isClosed ? 0 : pageSize);
  const remaining = moves.length - shownCount;
  return (
    <section class="moves" aria-label={title}>
      <h3>
        {title} <span class="hint">{formatCount(moves.length)}</span>
      </h3>
      {moves.length === 0 && <p class="hint">{emptyText}</p>}
      <ul>
        {moves.slice(0, shownCount).map((move) => (
          <MoveRow key={move.accountId} move={move} />
        ))}
      </ul>
      {remaining > 0 && (
        <button
          type="button"
          class="small"
          onClick={() => setShownCount(shownCount + (shownCount === 0 ? pageSize : 4 * pageSize))}
        >
          {shownCount === 0
            ? `Show accounts with a ${title.toLowerCase()}`
            : `Show more (${formatCount(remaining)})`}
        </button>
      )}
    </section>
  );
}

function MoveRow({ move: { accountId, from, to, time } }: { move: TierMove }) {
  const { data: name, isLoading } = useRequest((signal) => readName(accountId, signal), [accountId]);
  return (
    <li>
      <a class="name" href={`/console/accounts/${accountId}`}>
        {name ?? (isLoading ? "…" : `Account ${accountId}`)}
      </a>
      <span class="move">
        <TierName tier={from} />
        <span aria-hidden="true"> → </span>
        <span class="visually-hidden"> to </span>
        <TierName tier={to} />
      </span>
      <Age class="hint" timestamp={time} />
    </li>
  );
}

/** The name of the account; null if it was deleted since. */
async function readName(accountId: number, signal: AbortSignal): Promise<string | null> {
  try {
    const params = { path: { accountId }, query: { fields: ["name" as const] } };
    const { data } = await api.GET("/api/v1/accounts/{accountId}", { params, signal });
    return data.data.name;
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return null;
    throw error;
  }
}

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
