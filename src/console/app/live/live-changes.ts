import type { Change } from "../../../../clients/typescript/src/lists.ts";
import { ProblemError } from "../../../../clients/typescript/src/problem.ts";
import { backOffMs, sleep } from "../../../../clients/typescript/src/retries.ts";
import { createStreamApi } from "../api.ts";

/** New changes of the organization; undefined: any data may have changed. */
export type News = readonly Change[] | undefined;

/** A tab that nobody has looked at for this time leaves the stream to other tabs. */
const maxHiddenMilliseconds = 300_000;
/** A stream that begins later than this after the page may lack changes that the page lacks too. */
const maxStartMilliseconds = 500;

let followed: { keyId: number; end: () => void } | undefined;

/**
 * Begins to follow the changes that a key can read, and ends it for the key before. Undefined: none. The event `changes` has
 * the changes of all callers; `streamrejected`: the session ended, or is of another key.
 */
export function followChangesOf(keyId: number | undefined): void {
  if (keyId === followed?.keyId) return;
  followed?.end();
  followed = keyId === undefined ? undefined : { keyId, end: shareStream(keyId) };
}

/**
 * One stream for all tabs of a key: the tab with the lock reads it and sends the changes to the other tabs. Pages that
 * are neither local nor over TLS have no locks: each visible tab has its own stream. Returns a function that ends it.
 */
function shareStream(keyId: number): () => void {
  const name = `accountd-changes-${keyId}`;
  const channel = new BroadcastChannel(name);
  // Safe: the type of a property that is missing there.
  const locks = navigator.locks as LockManager | undefined;
  /** Of the last change that the pages may have; undefined before the first stream begins. */
  let sequence: number | undefined;
  let reading: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const begunAt = performance.now();

  function receive(news: News): void {
    sequence = news?.at(-1)?.sequence ?? sequence;
    dispatchEvent(new CustomEvent("changes", { detail: news }));
  }
  function publish(news: News): void {
    channel.postMessage(news);
    receive(news);
  }
  const streamApi = createStreamApi((headers) => {
    const position = headers.get("last-event-id");
    if (sequence !== undefined || position === null) return;
    sequence = Number(position);
    if (performance.now() - begunAt > maxStartMilliseconds) publish(undefined);
  });
  async function readStream(signal: AbortSignal): Promise<void> {
    for (let failureCount = 0; !signal.aborted; failureCount += 1) {
      try {
        const init = { signal, ...(sequence !== undefined && { after: sequence }) };
        for await (const change of streamApi.changes.stream(init)) {
          failureCount = 0;
          publish([change]);
        }
      } catch (error) {
        const status = error instanceof ProblemError ? error.status : undefined;
        if (status === 401) {
          reading = undefined;
          dispatchEvent(new Event("streamrejected"));
          return;
        }
        // Changes after it are not stored any more.
        if (status === 410) sequence = undefined;
      }
      await sleep(backOffMs(failureCount), signal).catch(() => {});
    }
  }
  function begin(): void {
    if (reading) return;
    reading = new AbortController();
    const { signal } = reading;
    // Throws when it is aborted.
    const ended = locks ? locks.request(name, { signal }, () => readStream(signal)) : readStream(signal);
    ended.catch(() => {});
  }
  function stop(): void {
    reading?.abort();
    reading = undefined;
  }
  function onVisibility(): void {
    clearTimeout(timer);
    if (!document.hidden) begin();
    else if (locks) timer = setTimeout(stop, maxHiddenMilliseconds);
    else stop();
  }
  channel.onmessage = ({ data }: MessageEvent<News>) => receive(data);
  document.addEventListener("visibilitychange", onVisibility);
  if (locks || !document.hidden) begin();
  return () => {
    document.removeEventListener("visibilitychange", onVisibility);
    clearTimeout(timer);
    stop();
    channel.close();
  };
}
