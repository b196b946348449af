import { useEffect, useRef } from "preact/hooks";

/** Calls `handle` for the events of a target while the component is shown. */
export function useEvent<E extends Event>(
  target: EventTarget,
  type: string,
  handle: (event: E) => void,
): void {
  const current = useRef(handle);
  current.current = handle;
  useEffect(() => {
    // Safe: the type of event with this name.
    const listener = (event: Event) => current.current(event as E);
    target.addEventListener(type, listener);
    return () => target.removeEventListener(type, listener);
  }, [target, type]);
}
