import { useRef } from "preact/hooks";
import { type RequestState, useRequest } from "./use-request.ts";

/** The cursor of the next page of a list; null at its end. */
export function nextCursorOf(pagination: object): string | null {
  return "nextCursor" in pagination && typeof pagination.nextCursor === "string"
    ? pagination.nextCursor
    : null;
}

type CursorPage<T> = { data: T[]; pagination: object };
type CursorRows<T> = { rows: T[]; nextCursor: string | null };

export type CursorList<T> = RequestState<CursorRows<T>> & { showMore: () => void };

/**
 * A list that is read by cursors: its first rows, and more by `showMore`. `reload` reads as many rows again as are
 * shown, at most 100.
 */
export function useCursorList<T>(
  load: (query: { cursor: string; pageSize: number }, signal: AbortSignal) => Promise<CursorPage<T>>,
  dependencies: readonly unknown[],
  pageSize = 10,
): CursorList<T> {
  const shown = useRef<CursorRows<T>>({ rows: [], nextCursor: null });
  const isMore = useRef(false);
  const state = useRequest(async (signal) => {
    const { rows, nextCursor } = shown.current;
    const before = isMore.current && nextCursor !== null ? { rows, cursor: nextCursor } : undefined;
    isMore.current = false;
    const size = before ? pageSize : Math.min(100, Math.max(pageSize, rows.length));
    const page = await load({ cursor: before?.cursor ?? "", pageSize: size }, signal);
    signal.throwIfAborted();
    shown.current = {
      rows: [...(before?.rows ?? []), ...page.data],
      nextCursor: nextCursorOf(page.pagination),
    };
    return shown.current;
  }, dependencies);
  const showMore = () => {
    isMore.current = true;
    state.reload();
  };
  return { ...state, showMore };
}
