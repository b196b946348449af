import { closeSync, openSync } from "node:fs";
import { errorCode } from "../../db/errors.ts";
import type { Log } from "../log.ts";

const checkIntervalMilliseconds = 250;
/** The pause in each turn of the event loop. It adds as much to the time of a reply. */
const pauseMilliseconds = 5;
const logIntervalMilliseconds = 60_000;

/**
 * Without a free file descriptor, Bun tries to accept the same connection in every turn of the event loop and uses a
 * whole processor. Until one is free, each turn then has a pause; requests on open connections are still answered.
 * Logs this at most once a minute. Returns a function that ends it.
 */
export function limitAcceptRate(log: Log, canOpen = hasFreeDescriptor): () => void {
  let isStopped = false;
  let loggedAt = Number.NEGATIVE_INFINITY;
  let timer = setTimeout(check, checkIntervalMilliseconds);

  function check(): void {
    if (isStopped) return;
    if (canOpen()) {
      timer = setTimeout(check, checkIntervalMilliseconds);
      return;
    }
    if (performance.now() - loggedAt >= logIntervalMilliseconds) {
      loggedAt = performance.now();
      log.error("descriptors_exhausted", {
        detail: "New connections wait. Raise the limit of open files (LimitNOFILE, ulimit -n).",
      });
    }
    Bun.sleepSync(pauseMilliseconds);
    setImmediate(check);
  }

  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

function hasFreeDescriptor(): boolean {
  try {
    closeSync(openSync("/dev/null", "r"));
    return true;
  } catch (error) {
    return !/^E[MN]FILE$/.test(errorCode(error));
  }
}
