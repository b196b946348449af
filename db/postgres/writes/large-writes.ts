import type { Transaction, WriteOptions } from "../../engine.ts";
import { EngineBusy, EngineStopping } from "../../errors.ts";
import { FairQueue } from "../../fair-queue.ts";
import type { WriteLane } from "./write-lane.ts";

/** A write of more rows is large. */
const maxSmallRowCount = 500;
const maxQueueLength = 1_000;
const maxWaitMilliseconds = 30_000;

type LargeWrite = { organizationId: number; run: () => Promise<void>; reject: (error: unknown) => void };

/**
 * Runs large writes on a connection of their own, one at a time, the organizations in turn. Meanwhile, other writes of the
 * organization wait here, so that no lane waits for its lock.
 */
export class LargeWrites {
  readonly #lane: WriteLane;
  readonly #waiting = new FairQueue<LargeWrite>({ maxLength: maxQueueLength });
  #running: { organizationId: number; ended: Promise<void> } | undefined;
  #isClosed = false;

  constructor(lane: WriteLane) {
    this.#lane = lane;
  }

  /** Resolves when no large write of the organization is running. */
  async endOf(organizationId: number): Promise<void> {
    while (this.#running?.organizationId === organizationId) await this.#running.ended;
  }

  isLarge({ rowCount = 0 }: WriteOptions): boolean {
    return rowCount > maxSmallRowCount;
  }

  /** As `WriteLane.push`. Throws EngineBusy for a write that waits for 30 s. */
  push<T>(organizationId: number, work: (tx: Transaction) => Promise<T>, options: WriteOptions): Promise<T> {
    if (this.#isClosed) return Promise.reject(new EngineStopping());
    return new Promise<T>((resolve, reject) => {
      const run = async () => {
        clearTimeout(timeout);
        await this.#lane.push(organizationId, work, options).then(resolve, reject);
      };
      const write: LargeWrite = { organizationId, run, reject };
      const timeout = setTimeout(() => {
        this.#waiting.remove(write);
        reject(new EngineBusy("Too many large writes are waiting."));
      }, maxWaitMilliseconds).unref();
      this.#waiting.push(write)?.reject(new EngineBusy("Too many large writes are waiting."));
      this.#runNext();
    });
  }

  /** Rejects the writes that wait. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.take(maxQueueLength)) reject(new EngineStopping());
    await this.#lane.close();
  }

  #runNext(): void {
    if (this.#running) return;
    const [next] = this.#waiting.take(1);
    if (!next) return;
    const ended = next.run().finally(() => {
      this.#running = undefined;
      this.#runNext();
    });
    this.#running = { organizationId: next.organizationId, ended };
  }
}
