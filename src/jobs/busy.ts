import type { Engine } from "../../db/engine.ts";
import type { Timer } from "../../db/timer.ts";
import { watchProcessor } from "../core/turns.ts";

/** Work that requests have priority over pauses this many times as long as it took. */
export const backOffFactor = 9;
/** The pause in which requests run. */
export const pauseMilliseconds = 5;
/** If the pause, or the reply of the database, takes this much longer, requests keep the processors busy. */
const busyThresholdMilliseconds = 2;

/** Pauses for 5 ms; resolves with whether requests keep the processors busy. */
export async function isBusy(engine: Pick<Engine, "ping">, timer: Timer): Promise<boolean> {
  const start = timer.elapsed();
  // A server of the database may be busy while this process is not. A failure recurs in the next step.
  await Promise.allSettled([timer.sleep(pauseMilliseconds), engine.ping()]);
  return timer.elapsed() - start >= pauseMilliseconds + busyThresholdMilliseconds;
}

/** `isBusy`, also if this process uses most of a processor although no request waits for long. */
export async function isSaturated(engine: Pick<Engine, "ping">, timer: Timer): Promise<boolean> {
  const isProcessorBusy = watchProcessor();
  return (await isBusy(engine, timer)) || isProcessorBusy();
}
