import type { AttemptResult } from "../send/attempt.ts";
import { spacingAfter } from "./schedule.ts";

const maxRunning = 4;

type PacedResult = Pick<AttemptResult, "isSuccess" | "retryAfterMilliseconds">;

/** How fast an endpoint gets requests. Times are milliseconds since 1970 UTC. */
export class EndpointPace {
  #failuresInRow = 0;
  #hasSucceeded = false;
  #endedAt = 0;
  #heldUntil = 0;

  /** Whether the last attempt was a success. */
  get isProven(): boolean {
    return this.#hasSucceeded && this.#failuresInRow === 0;
  }

  /** The attempts that may run at once: one before the first success, and after a failure. */
  get maxRunning(): number {
    return this.isProven ? maxRunning : 1;
  }

  /** Whether a delivery may be attempted. */
  isOpen(now: number): boolean {
    return now >= this.#heldUntil || this.#isSetBack(now);
  }

  /** From then on, deliveries may be attempted for the first time. */
  firstAttemptAt(now: number): number {
    return this.#isSetBack(now) ? now : this.#endedAt + spacingAfter(this.#failuresInRow);
  }

  /** Records the result of an attempt that ended at `now`. */
  record({ isSuccess, retryAfterMilliseconds }: PacedResult, now: number): void {
    if (this.#isSetBack(now)) this.#heldUntil = 0;
    this.#failuresInRow = isSuccess ? 0 : this.#failuresInRow + 1;
    this.#hasSucceeded ||= isSuccess;
    this.#endedAt = now;
    this.hold(now + (retryAfterMilliseconds ?? 0));
  }

  /** No attempt begins before this time. */
  hold(until: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, until);
  }

  /** The clock was set back since the last attempt: times after that are not waited for. */
  #isSetBack(now: number): boolean {
    return now < this.#endedAt;
  }
}
