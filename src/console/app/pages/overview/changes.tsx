import { useMemo } from "preact/hooks";
import { resourceNames, resources } from "../../../../shared/resources.ts";
import { Card, Empty, Loaded } from "../../components/card.tsx";
import { formatCount, formatTime } from "../../format.ts";
import type { RequestState } from "../../use-request.ts";
import { summarize } from "./change-summary.ts";
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
      <table class="compact counts">
        <thead>
          <tr>
            <th scope="col">Other changes</th>
            {["Created", "Updated", "Deleted"].map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {counts.map(({ resource, created, updated, deleted }) => (
            <tr key={resource}>
              <th scope="row">{names[resource] ?? resource}</th>
              <td class="number">{formatCount(created)}</td>
              <td class="number">{formatCount(updated)}</td>
              <td class="number">{formatCount(deleted)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

const names: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(resources).map(({ noun, title }) => [noun, `${title}s`]),
);
