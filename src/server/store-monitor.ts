import type { Engine } from "../../db/engine.ts";
import { DiskFull, isStorageFailure } from "../../db/errors.ts";
import type { StoreState } from "../http/probes.ts";
import { type Log, oncePerMinute } from "../log.ts";

/** The time between two attempts to write while writes fail: no request may write for a long time. */
const probeMilliseconds = 5_000;

/** Watches whether writes to the disk work. While they fail, logs one line a minute, and tries a write every 5 s. */
export function monitorStore(
  engine: Engine,
  { log, intervalMilliseconds = probeMilliseconds }: { log: Log; intervalMilliseconds?: number },
) {
  let state: StoreState = "ok";
  let timer: Timer | undefined;
  let isStopped = false;
  const logFailure = oncePerMinute(() => {
    const detail =
      state === "full"
        ? "The disk of the database is full: writes fail, reads work. Free some space."
        : "Writes to the database fail. Check its disk and the log of the kernel, then run accountd check.";
    log.error("writes_failing", { state, detail });
  });

  function onFailed(error: unknown): void {
    if (!isStorageFailure(error) || isStopped) return;
    state = error instanceof DiskFull ? "full" : "failing";
    timer ??= setTimeout(probe, intervalMilliseconds);
    logFailure();
  }

  async function probe(): Promise<void> {
    timer = undefined;
    try {
      await engine.probeWrite();
      state = "ok";
      log.info("writes_working");
    } catch (error) {
      // Busy, for example: the next attempt decides.
      if (!isStorageFailure(error) && !isStopped) timer ??= setTimeout(probe, intervalMilliseconds);
      onFailed(error);
    }
  }

  const write: Engine["write"] = (...parameters) => {
    const written = engine.write(...parameters);
    written.catch(onFailed);
    return written;
  };
  return {
    /** The engine, whose failed writes are noticed. */
    engine: { ...engine, write },
    state: () => state,
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
