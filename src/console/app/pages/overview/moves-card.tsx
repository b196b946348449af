import { useRef, useState } from "preact/hooks";
import { ProblemError } from "../../../../../clients/typescript/src/problem.ts";
import { api } from "../../api.ts";
import { Card, Loaded } from "../../components/layout.tsx";
import { Age, TierName } from "../../components/values.tsx";
import { formatCount, formatWholeMrr } from "../../format.ts";
import { readRowCount, storeRowCount } from "../../left-places.ts";
import { messages } from "../../messages/messages.ts";
import { type RequestState, useRequest } from "../../use-request.ts";
import type { TierMove, TierMoves } from "./tier-moves.ts";

const text = messages.overview.moves;
const pageSize = 7;

/** The accounts whose tier fell in the last 7 days, then those whose tier rose, which are hidden at first. */
export function MovesCard({ state }: { state: RequestState<{ moves: TierMoves }> }) {
  return (
    <Card title={text.title}>
      <Loaded state={state} height={18}>
        {({ moves: { drops, rises, isCut } }) => (
          <>
            {drops.length === 0 ? (
              <p class="hint">{text.noFalls}</p>
            ) : (
              <>
                <p class="figure-line">
                  <span class="figure">{formatCount(drops.length)}</span>{" "}
                  <span class="hint">{text.falls(drops.length)}</span>
                </p>
                <MoveList label={text.title} moves={drops} />
              </>
            )}
            {isCut && <p class="hint">{text.cut}</p>}
            {rises.length > 0 && <Rises moves={rises} />}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function Rises({ moves }: { moves: readonly TierMove[] }) {
  const [isOpen, setIsOpen] = useState(false);
  const label = text.rises(moves.length);
  return (
    <details class="rises" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{label}</summary>
      {isOpen && <MoveList label={label} moves={moves} />}
    </details>
  );
}

/** Accounts with both tiers, a few at a time. */
function MoveList({ label, moves }: { label: string; moves: readonly TierMove[] }) {
  const [shownCount, setShownCount] = useState(readRowCount(label) || pageSize);
  const remaining = moves.length - shownCount;
  const list = useRef<HTMLUListElement>(null);
  function showMore(): void {
    setShownCount(shownCount + 4 * pageSize);
    storeRowCount(label, shownCount + 4 * pageSize);
    // The button may be gone then.
    requestAnimationFrame(() => list.current?.querySelectorAll("a")[shownCount]?.focus());
  }
  return (
    <>
      <ul class="moves" aria-label={label} ref={list}>
        {moves.slice(0, shownCount).map((move) => (
          <MoveRow key={move.accountId} move={move} />
        ))}
      </ul>
      {remaining > 0 && (
        <button type="button" class="small" onClick={showMore}>
          {text.more(remaining)}
        </button>
      )}
    </>
  );
}

function MoveRow({ move: { accountId, from, to, time } }: { move: TierMove }) {
  const { data, isLoading } = useRequest((signal) => readAccount(accountId, signal), [accountId]);
  return (
    <li>
      {data === null ? (
        <span class="name hint">{text.deleted}</span>
      ) : (
        <a class="name" href={`/console/accounts/${accountId}`}>
          {data?.name ?? (isLoading ? "…" : accountId)}
        </a>
      )}
      <span class="number">{data && formatWholeMrr(data.mrr)}</span>
      <span class="move">
        <TierName tier={from} />
        <span aria-hidden="true">{" → "}</span>
        <span class="visually-hidden"> {text.to} </span>
        <TierName tier={to} />
      </span>
      <Age class="hint" timestamp={time} />
    </li>
  );
}

/** The name and the revenue of the account; null if it was deleted since. */
async function readAccount(
  accountId: number,
  signal: AbortSignal,
): Promise<{ name: string; mrr: number } | null> {
  try {
    const params = { path: { accountId }, query: { fields: ["name" as const, "mrr" as const] } };
    return (await api.GET("/api/v1/accounts/{accountId}", { params, signal })).data.data;
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return null;
    throw error;
  }
}
