import { useState } from "preact/hooks";
import { ProblemError } from "../../../../../clients/typescript/src/problem.ts";
import { api } from "../../api.ts";
import { TierName } from "../../components/tier.tsx";
import { Age } from "../../components/timestamp.tsx";
import { formatCount } from "../../format.ts";
import { useRequest } from "../../use-request.ts";
import type { TierMove } from "./change-summary.ts";

const pageSize = 6;

/** Accounts whose tier changed, with both tiers, a few at a time. */
export function MoveList({
  title,
  moves,
  emptyText,
  isClosed = false,
}: {
  title: string;
  moves: readonly TierMove[];
  emptyText?: string;
  isClosed?: boolean;
}) {
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
