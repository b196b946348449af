import { EngineBusy } from "../../errors.ts";
import { FairQueue, type FairQueueOptions } from "../../fair-queue.ts";

type WaitingRead = { organizationId: number; run: () => Promise<void>; reject: (error: unknown) => void };

/** With more, no further read of some milliseconds is started in this turn of the event loop. */
const turnMilliseconds = 2;
/** A shorter read is as fast as one by key: it is not counted. */
const minCountedMilliseconds = 0.2;
const maxQueueLength = 10_000;

/**
 * The time for reads of some milliseconds on the serving thread. When that of a turn of the event loop is used, further
 * ones wait for a later turn by organization, so that fast reads and the organizations in turn are served in between.
 */
export class ReadTurns {
  readonly #waiting: FairQueue<WaitingRead>;
  readonly #isFair: boolean;
  readonly #now: () => number;
  #usedMilliseconds = 0;
  #isScheduled = false;
  #isDraining = false;

  /** Unless `isFair`, all reads run at once. `now` returns milliseconds of a clock that never goes back. */
  constructor({
    isFair = true,
    now = () => performance.now(),
  }: Pick<FairQueueOptions, "isFair"> & { now?: () => number } = {}) {
    this.#isFair = isFair;
    this.#now = now;
    this.#waiting = new FairQueue({ maxLength: maxQueueLength, isFair });
  }

  /** Whether a read may run in this turn. */
  get hasTime(): boolean {
    return !this.#isFair || (this.#usedMilliseconds < turnMilliseconds && this.#waiting.length === 0);
  }

  /** Adds the time of a read to this turn. */
  use(milliseconds: number): void {
    if (milliseconds < minCountedMilliseconds) return;
    this.#usedMilliseconds += milliseconds;
    this.#schedule();
  }

  /** Runs `read` in a later turn. Throws EngineBusy, and what `read` throws. */
  run<T>(organizationId: number, read: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = () => read().then(resolve, reject);
      const rejected = this.#waiting.push({ organizationId, run, reject });
      rejected?.reject(new EngineBusy("Too many reads are waiting."));
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isDraining) return;
    this.#isScheduled = true;
    setImmediate(() => void this.#turn());
  }

  async #turn(): Promise<void> {
    this.#isScheduled = false;
    this.#usedMilliseconds = 0;
    this.#isDraining = true;
    const start = this.#now();
    // Reads that are not counted end a turn, too: each reply can bring the next read.
    while (this.#usedMilliseconds < turnMilliseconds && this.#now() - start < turnMilliseconds) {
      const [next] = this.#waiting.take(1);
      if (!next) break;
      await next.run();
    }
    this.#isDraining = false;
    if (this.#usedMilliseconds > 0 || this.#waiting.length > 0) this.#schedule();
  }
}
