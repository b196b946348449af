import { useRef, useState } from "preact/hooks";
import { type WithAccount, withAccounts } from "../../account-names.ts";
import { Card, Loaded } from "../../components/layout.tsx";
import { Age, TierName } from "../../components/values.tsx";
import { formatCount, formatWholeMrr } from "../../format.ts";
import { readRowCount, storeRowCount } from "../../left-places.ts";
import { overview } from "../../messages/messages.ts";
import { type RequestState, useRequest } from "../../use-request.ts";
import { byRevenue, type TierMove, type TierMoves } from "./tier-moves.ts";

const text = overview.moves;
const pageSize = 7;
/** The accounts of a list that are read for their names and their order, in requests for 100. */
const maxAccounts = 1_000;

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
            {(isCut || drops.length > maxAccounts) && <p class="hint">{text.cut}</p>}
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
      <summary class="hint">{label}</summary>
      {isOpen && <MoveList label={label} moves={moves} />}
    </details>
  );
}

/** Accounts with both tiers, a few at a time: the worst or best tier first, the largest MRR first within a tier. */
function MoveList({ label, moves }: { label: string; moves: readonly TierMove[] }) {
  const state = useRequest((signal) => readMovedAccounts(moves, signal), [moves]);
  const [shownCount, setShownCount] = useState(readRowCount(label) || pageSize);
  const list = useRef<HTMLUListElement>(null);
  function showMore(): void {
    setShownCount(shownCount + 4 * pageSize);
    storeRowCount(label, shownCount + 4 * pageSize);
    // The button may be gone then.
    requestAnimationFrame(() => list.current?.querySelectorAll("a")[shownCount]?.focus());
  }
  return (
    <Loaded state={state} height={14}>
      {(moved) => (
        <>
          <ul class="moves" aria-label={label} ref={list}>
            {moved.slice(0, shownCount).map((move) => (
              <MoveRow key={move.accountId} move={move} />
            ))}
          </ul>
          {moved.length > shownCount && (
            <button type="button" class="small" onClick={showMore}>
              {text.more(moved.length - shownCount)}
            </button>
          )}
        </>
      )}
    </Loaded>
  );
}

/** The first `maxAccounts` moves with their accounts. */
async function readMovedAccounts(
  moves: readonly TierMove[],
  signal: AbortSignal,
): Promise<WithAccount<TierMove>[]> {
  const shown = moves.slice(0, maxAccounts);
  const starts = shown.map((_, i) => i).filter((i) => i % 100 === 0);
  const parts = await Promise.all(
    starts.map((start) => withAccounts(shown.slice(start, start + 100), signal)),
  );
  return byRevenue(parts.flat());
}

function MoveRow({ move: { account, from, to, time } }: { move: WithAccount<TierMove> }) {
  return (
    <li>
      {account ? (
        <a class="clip" href={`/console/accounts/${account.id}`}>
          {account.name}
        </a>
      ) : (
        <span class="hint">{text.deleted}</span>
      )}
      <span class="number">{account && formatWholeMrr(account.mrr)}</span>
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
