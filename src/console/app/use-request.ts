import { createContext } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import { ProblemError } from "../../../clients/typescript/src/problem.ts";
import { readRowCount, storeRowCount } from "./left-places.ts";

export type RequestState<T> = {
  /** Of the last success; kept while the next request runs, so that the page does not jump. */
  data: T | undefined;
  error: unknown;
  isLoading: boolean;
  reload: () => void;
};

/** Increases when the data of the page are to be read again. 0 on pages that are not live. */
export const LiveVersion = createContext(0);

let runningCount = 0;

/** Whether a page is reading data. */
export const isReadingData = () => runningCount > 0;

/**
 * Runs `load` when the component is shown and whenever `dependencies` change. A request that is not needed any more is
 * aborted. `isLive`: it also runs, without a sign of it, after somebody changed the data of the page.
 */
export function useRequest<T>(
  load: (signal: AbortSignal) => Promise<T>,
  dependencies: readonly unknown[],
  { isLive = true } = {},
): RequestState<T> {
  const [state, setState] = useState<{ data?: T; error?: unknown; isLoading: boolean }>({ isLoading: true });
  const [version, setVersion] = useState(0);
  const current = useRef(load);
  current.current = load;
  const shownVersion = useContext(LiveVersion);
  const liveVersion = isLive ? shownVersion : 0;
  const lastLiveVersion = useRef(liveVersion);
  useEffect(() => {
    const controller = new AbortController();
    const isQuiet = lastLiveVersion.current !== liveVersion;
    lastLiveVersion.current = liveVersion;
    if (!isQuiet) setState((before) => ({ ...before, isLoading: true }));
    runningCount += 1;
    current
      .current(controller.signal)
      .finally(() => {
        runningCount -= 1;
      })
      .then(
        (data) => {
          if (controller.signal.aborted) return;
          // Equal data stay the same object: nothing is drawn again.
          setState((before) => {
            const isSame = isQuiet && JSON.stringify(before.data) === JSON.stringify(data);
            return isSame ? { ...before, error: undefined, isLoading: false } : { data, isLoading: false };
          });
        },
        (error: unknown) => {
          if (controller.signal.aborted) return;
          const isGone = error instanceof ProblemError && error.status === 404;
          setState((before) => {
            // What was read before is shown until the next change.
            const isHidden = isQuiet && !isGone && before.data !== undefined;
            return { ...before, ...(!isHidden && { error }), isLoading: false };
          });
        },
      );
    return () => controller.abort();
  }, [...dependencies, version, liveVersion]);
  const reload = useCallback(() => setVersion((before) => before + 1), []);
  return { data: state.data, error: state.error, isLoading: state.isLoading, reload };
}

/** `run` awaits an action. `error`: what its last action threw, until `reset` is called or the next action begins. */
export function useAction() {
  const [error, setError] = useState<unknown>();
  const [isRunning, setIsRunning] = useState(false);
  const reset = () => setError(undefined);
  async function run(action: () => Promise<void>): Promise<void> {
    setIsRunning(true);
    reset();
    await action().catch(setError);
    setIsRunning(false);
  }
  return { error, isRunning, run, reset };
}

/** `value` after it stayed the same for `milliseconds`: for requests while somebody types. */
export function useDebounced<T>(value: T, milliseconds = 200): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}

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
 * A list that is read by cursors: its first rows, and more by `showMore`. `reload`, Back and Forward read as many rows
 * as were shown. `name` differs from the names of the other lists of the page.
 */
export function useCursorList<T>(
  load: (query: { cursor: string; pageSize: number }, signal: AbortSignal) => Promise<CursorPage<T>>,
  dependencies: readonly unknown[],
  pageSize = 10,
  name = "rows",
): CursorList<T> {
  const shown = useRef<CursorRows<T>>({ rows: [], nextCursor: null });
  const isMore = useRef(false);
  const state = useRequest(async (signal) => {
    const isContinued = isMore.current && shown.current.nextCursor !== null;
    isMore.current = false;
    let { rows, nextCursor } = isContinued ? shown.current : { rows: [], nextCursor: "" };
    const count = isContinued ? 0 : readRowCount(name);
    for (let isRead = false; !isRead && nextCursor !== null; ) {
      const size = Math.min(100, Math.max(pageSize, count - rows.length));
      const page: CursorPage<T> = await load({ cursor: nextCursor, pageSize: size }, signal);
      signal.throwIfAborted();
      rows = [...rows, ...page.data];
      nextCursor = nextCursorOf(page.pagination);
      isRead = rows.length >= count || page.data.length === 0;
    }
    if (isContinued) storeRowCount(name, rows.length);
    shown.current = { rows, nextCursor };
    return shown.current;
  }, dependencies);
  const showMore = () => {
    // A reload that interrupts it, such as after a change, reads as many rows.
    storeRowCount(name, shown.current.rows.length + pageSize);
    isMore.current = true;
    state.reload();
  };
  return { ...state, showMore };
}
