import type { Timer } from "../../db/timer.ts";

/** Pauses for a time. Resolves at once when `signal` is aborted, before or during the pause. */
export async function pause(timer: Timer, milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  signal.addEventListener("abort", end);
  await Promise.race([timer.sleep(milliseconds), promise]);
  // Otherwise the signal would keep each pause in memory.
  signal.removeEventListener("abort", end);
}
