import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export type RequestState<T> = {
  /** Of the last success; kept while the next request runs, so that the page does not jump. */
  data: T | undefined;
  error: unknown;
  isLoading: boolean;
  reload: () => void;
};

/**
 * Runs `load` when the component is shown and whenever `dependencies` change. A request that is not needed any more is
 * aborted.
 */
export function useRequest<T>(
  load: (signal: AbortSignal) => Promise<T>,
  dependencies: readonly unknown[],
): RequestState<T> {
  const [state, setState] = useState<{ data?: T; error?: unknown; isLoading: boolean }>({ isLoading: true });
  const [version, setVersion] = useState(0);
  const current = useRef(load);
  current.current = load;
  useEffect(() => {
    const controller = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    current.current(controller.signal).then(
      (data) => {
        if (!controller.signal.aborted) setState({ data, isLoading: false });
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setState((before) => ({ ...before, error, isLoading: false }));
      },
    );
    return () => controller.abort();
  }, [...dependencies, version]);
  const reload = useCallback(() => setVersion((before) => before + 1), []);
  return { data: state.data, error: state.error, isLoading: state.isLoading, reload };
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
