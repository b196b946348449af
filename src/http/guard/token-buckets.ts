import { millisecondsOfMinute } from "../../core/timestamps.ts";

/** Beyond that, the buckets that were used least recently are deleted: they are full again. */
const maxBuckets = 100_000;
/** The number of buckets that are deleted together: to find its first entry, a map skips all deleted ones. */
const deletedTogether = 1_000;

/** Times are fractions of milliseconds: without this tolerance, the last token would come one interval late. */
const ROUNDING = 1e-6;

/** One token bucket for each name: `perMinute` tokens are added each minute, up to `burst`. All are full at first. */
export class TokenBuckets {
  /** When a bucket is full again, by name, in the order of last use. A full bucket may be absent. */
  readonly #fullAt = new Map<string | number, number>();
  readonly #now: () => number;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number = performance.now.bind(performance)) {
    this.#now = now;
  }

  /** Takes a token, if there is one. `remaining`: requests that are allowed now. Seconds are whole. */
  take(name: string | number, perMinute: number, burst: number) {
    const interval = millisecondsOfMinute / perMinute;
    const now = this.#now();
    const before = Math.max(0, (this.#fullAt.get(name) ?? 0) - now);
    const isAllowed = before <= (burst - 1) * interval + ROUNDING;
    const untilFull = isAllowed ? before + interval : before;
    if (isAllowed) this.#store(name, now + untilFull);
    return {
      isAllowed,
      remaining: Math.max(0, Math.floor(burst - untilFull / interval + ROUNDING)),
      /** Until the bucket is full again. */
      resetSeconds: Math.ceil(untilFull / 1_000 - ROUNDING),
      /** Until the next request is allowed. */
      retrySeconds: Math.max(1, Math.ceil((untilFull - (burst - 1) * interval) / 1_000 - ROUNDING)),
    };
  }

  #store(name: string | number, fullAt: number): void {
    // Deleted first, so that it becomes the last one in the order of insertion.
    this.#fullAt.delete(name);
    this.#fullAt.set(name, fullAt);
    if (this.#fullAt.size <= maxBuckets) return;
    let left = deletedTogether;
    for (const oldest of this.#fullAt.keys()) {
      this.#fullAt.delete(oldest);
      left -= 1;
      if (left === 0) return;
    }
  }
}
