import type { BatchRun } from "./batch-run.ts";

/** What the attempts of a write use of its transaction. */
type Observed = {
  /** The number of changes that the write made. */
  changeCount(): number;
  /** Called when an attempt without a savepoint has failed after a change: the write has to run again. */
  onFailure(error: unknown): void;
};

/**
 * The attempts of a write. They have no savepoint at first: each savepoint is a statement, and few attempts fail after a
 * change. An attempt that failed after a change makes the write run again; it is a suspect then, and has a savepoint.
 */
export class Attempts {
  readonly #batch: BatchRun;
  readonly #suspects: ReadonlySet<number>;
  #count = 0;
  /** The running attempt without a savepoint. */
  #current: number | undefined;
  /** Of the running attempt with a savepoint, which undoes its statements when one has failed. */
  #savepoint: { hasFailed: boolean } | undefined;

  constructor(batch: BatchRun, suspects: ReadonlySet<number>) {
    this.#batch = batch;
    this.#suspects = suspects;
  }

  get current(): number | undefined {
    return this.#current;
  }

  /** Whether the running attempt handles the failure of a statement. */
  handlesFailure(): boolean {
    if (this.#savepoint) this.#savepoint.hasFailed = true;
    return this.#savepoint !== undefined;
  }

  async run<T>(work: () => Promise<T>, { changeCount, onFailure }: Observed): Promise<T> {
    const index = this.#count;
    this.#count += 1;
    if (!this.#batch.isPipelined) return this.#runWithSavepoint(work);
    if (this.#suspects.has(index)) return this.#runSuspect(work);
    const before = changeCount();
    this.#current = index;
    try {
      return await work();
    } catch (error) {
      if (changeCount() !== before) onFailure(error);
      throw error;
    } finally {
      this.#current = undefined;
    }
  }

  /** The batch has no other write. */
  async #runSuspect<T>(work: () => Promise<T>): Promise<T> {
    const batch = this.#batch;
    const { buffer } = batch;
    buffer?.flush();
    await batch.sent.settle();
    batch.isPipelined = false;
    batch.buffer = undefined;
    try {
      return await this.#runWithSavepoint(work);
    } finally {
      batch.isPipelined = true;
      batch.buffer = buffer;
    }
  }

  /** Pipelined at first, too. When a statement failed, `work` runs again and waits for each, so that it sees the error. */
  async #runWithSavepoint<T>(work: () => Promise<T>): Promise<T> {
    const batch = this.#batch;
    const sequences = [...batch.lastSequences];
    const undo = async () => {
      await batch.session.command((sql) => sql`rollback to savepoint attempt`);
      for (const [organizationId, sequence] of sequences) batch.lastSequences.set(organizationId, sequence);
    };
    this.#savepoint = { hasFailed: false };
    // The statement after it would fail as well.
    batch.sent.add(batch.session.command((sql) => sql`savepoint attempt`));
    try {
      const [result] = await Promise.allSettled([this.#pipelined(work)]);
      const { hasFailed } = this.#savepoint;
      if (!hasFailed && result.status === "fulfilled") return result.value;
      await undo();
      if (!hasFailed && result.status === "rejected") throw result.reason;
      return await work().catch(async (error: unknown) => {
        await undo();
        throw error;
      });
    } finally {
      this.#savepoint = undefined;
      batch.sent.add(batch.session.command((sql) => sql`release savepoint attempt`));
    }
  }

  async #pipelined<T>(work: () => Promise<T>): Promise<T> {
    const batch = this.#batch;
    batch.isPipelined = true;
    try {
      return await work();
    } finally {
      batch.isPipelined = false;
      await batch.sent.settle();
    }
  }
}
