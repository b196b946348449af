import "../styles/cursor-pager.css";
import { useState } from "preact/hooks";

/** The cursors of the pages up to the current one; `cursor` is that of the current page. */
export type CursorPages = {
  cursor: string;
  /** From 1. */
  page: number;
  next: (cursor: string) => void;
  previous: () => void;
};

/** The position in a list with cursors. It begins again when `view` changes: other filters or another order. */
export function useCursorPages(view: string): CursorPages {
  const [state, setState] = useState({ view, cursors: [""] });
  const cursors = state.view === view ? state.cursors : [""];
  return {
    cursor: cursors.at(-1) ?? "",
    page: cursors.length,
    next: (cursor) => setState({ view, cursors: [...cursors, cursor] }),
    previous: () => setState({ view, cursors: cursors.slice(0, -1) }),
  };
}

/** Buttons for the page before and the page after; absent where there is one page only. */
export function Pager({
  pages: { page, next, previous },
  nextCursor,
  label,
}: {
  pages: CursorPages;
  nextCursor: string | null;
  label: string;
}) {
  if (page === 1 && nextCursor === null) return null;
  return (
    <nav class="row cursor-pager" aria-label={label}>
      <button type="button" disabled={page === 1} onClick={previous}>
        Previous
      </button>
      <span class="hint" role="status">
        Page {page}
      </span>
      <button
        type="button"
        disabled={nextCursor === null}
        onClick={() => nextCursor !== null && next(nextCursor)}
      >
        Next
      </button>
    </nav>
  );
}
