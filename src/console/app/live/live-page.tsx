import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Change } from "../../../../clients/typescript/src/lists.ts";
import { isOwnWrite } from "../api.ts";
import { isReadingData, LiveVersion } from "../use-request.ts";
import type { News } from "./live-changes.ts";
import { intervalAfter } from "./pauses.ts";

/** After a change. The response to a write of this tab may come later than its change. */
const delayMilliseconds = 300;
const typingMilliseconds = 2_000;

let typedAt = Number.NEGATIVE_INFINITY;
addEventListener("input", () => {
  typedAt = performance.now();
});

/** Whether new data would disturb: somebody types, a dialog is open, or rows are selected. */
function isBusy(): boolean {
  const isTyping = performance.now() - typedAt < typingMilliseconds;
  return isTyping || document.querySelector("dialog[open], main tr.selected") !== null;
}

type LivePageProps = {
  /** Whether a change can be seen on the page. */
  isShown: (change: Change) => boolean;
  children: ComponentChildren;
};

/** A page whose data are read again after somebody else changed them. */
export function LivePage({ isShown, children }: LivePageProps) {
  const [version, setVersion] = useState(0);
  const current = useRef(isShown);
  current.current = isShown;
  useEffect(() => {
    let [readAt, interval] = [Number.NEGATIVE_INFINITY, 0];
    let timer: ReturnType<typeof setTimeout> | undefined;
    function read(): void {
      const now = performance.now();
      timer = undefined;
      if (now - readAt < interval || document.hidden || isReadingData() || isBusy()) {
        timer = setTimeout(read, delayMilliseconds);
        return;
      }
      interval = intervalAfter(interval, now - readAt);
      readAt = now;
      setVersion((before) => before + 1);
    }
    const onChanges = ({ detail: news }: CustomEventInit<News>) => {
      const shown = news?.filter(current.current);
      if (shown?.length === 0) return;
      setTimeout(() => {
        if (shown?.every(({ requestId }) => isOwnWrite(requestId))) return;
        timer ??= setTimeout(read);
      }, delayMilliseconds);
    };
    addEventListener("changes", onChanges);
    return () => {
      removeEventListener("changes", onChanges);
      clearTimeout(timer);
    };
  }, []);
  return <LiveVersion.Provider value={version}>{children}</LiveVersion.Provider>;
}
