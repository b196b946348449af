import type { Timer } from "../../timer.ts";
import type { QueuedWrite } from "./queued-write.ts";

/** After this time of a batch, only writes of other organizations than the slow ones are started, for a shorter time. */
const maxBatchMilliseconds = 20;
const maxOvertimeMilliseconds = 10;
/** A write that takes longer makes its organization a slow one of the batch. */
const maxShortMilliseconds = 1;

/** Which writes a batch starts, by the time that the writes before them took. */
export class BatchTime {
  readonly #timer: Timer;
  readonly #startedAt: number;
  /** The organizations of the writes that were started. */
  readonly #started = new Set<number>();
  readonly #slowOrganizations = new Set<number>();
  /** The organizations with a write that took longer than `maxBatchMilliseconds`, in the last batch and in this one. */
  readonly #lastLong: ReadonlySet<number>;
  readonly longOrganizations = new Set<number>();
  #overAt = Number.POSITIVE_INFINITY;
  #writeStartedAt = 0;

  constructor(timer: Timer, lastLong: ReadonlySet<number>) {
    this.#timer = timer;
    this.#startedAt = timer.elapsed();
    this.#lastLong = lastLong;
  }

  /** Begins the time of a write. Returns false if it has to run in a later batch; never for the first one. */
  begin({ organizationId }: Pick<QueuedWrite, "organizationId">): boolean {
    const now = this.#timer.elapsed();
    if (now - this.#startedAt > maxBatchMilliseconds) this.#overAt = Math.min(this.#overAt, now);
    const isSlow = this.#slowOrganizations.has(organizationId);
    if (now >= this.#overAt && (isSlow || now - this.#overAt > maxOvertimeMilliseconds)) return false;
    // A long write runs after the writes that waited for the one before it, and after their commit.
    const otherCount = this.#started.size - (this.#started.has(organizationId) ? 1 : 0);
    if (this.#lastLong.has(organizationId) && otherCount > 0) return false;
    this.#started.add(organizationId);
    this.#writeStartedAt = now;
    return true;
  }

  end({ organizationId }: Pick<QueuedWrite, "organizationId">): void {
    const milliseconds = this.#timer.elapsed() - this.#writeStartedAt;
    if (milliseconds > maxShortMilliseconds) this.#slowOrganizations.add(organizationId);
    if (milliseconds > maxBatchMilliseconds) this.longOrganizations.add(organizationId);
  }
}
