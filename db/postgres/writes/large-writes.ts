import type { Transaction, WriteOptions } from "../../engine.ts";
import { EngineBusy, EngineStopping } from "../../errors.ts";
import { FairQueue } from "../../fair-queue.ts";
import type { WriteLane } from "./write-lane.ts";

/** A write of more rows is large. */
const maxSmallRowCount = 500;
const maxWaitMilliseconds = 30_000;

type LargeWrite = { organizationId: number; run: () => Promise<void>; reject: (error: unknown) => void };

/**
 * Runs large writes on a connection of their own, one at a time, the organizations in turn. Other writes of the organization
 * of the running one wait here instead of in their lane, and run before the next one.
 */
export class LargeWrites {
  readonly #lane: WriteLane;
  readonly #waiting = new FairQueue<LargeWrite>();
  #organizationId: number | undefined;
  /** The other writes of the organization. */
  #others: (() => Promise<void>)[] = [];
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(lane: WriteLane) {
    this.#lane = lane;
  }

  get waitingCount(): number {
    return this.#waiting.length + this.#others.length + this.#lane.waitingCount;
  }

  isLarge({ rowCount = 0 }: WriteOptions): boolean {
    return rowCount > maxSmallRowCount;
  }

  /** Runs another write: at once, or after the large write of its organization that is running. */
  pushOther<T>(organizationId: number, run: () => Promise<T>): Promise<T> {
    if (this.#organizationId !== organizationId) return run();
    return new Promise((resolve, reject) => {
      this.#others.push(() => run().then(resolve, reject));
    });
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
      this.#running ??= this.#run();
    });
  }

  /** Rejects the writes that wait. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.take()) reject(new EngineStopping());
    await this.#lane.close();
  }

  async #run(): Promise<void> {
    for (let [next] = this.#waiting.take(1); next; [next] = this.#waiting.take(1)) {
      this.#organizationId = next.organizationId;
      await next.run();
      this.#organizationId = undefined;
      // Otherwise the next large write could take the lock of the organization first.
      await Promise.all(this.#others.splice(0).map((run) => run()));
    }
    this.#running = undefined;
  }
}
