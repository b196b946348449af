import { availableParallelism } from "node:os";
import type { Snapshot, Values } from "../../engine.ts";
import { EngineStopping, QueryTimeout, TooManyReads } from "../../errors.ts";
import { FairQueue, type FairQueueOptions } from "../../fair-queue.ts";
import type { Slices, Statement } from "../../statements.ts";
import { snapshotSql } from "../connection.ts";
import { renderOnce } from "../prepared.ts";
import type { WorkerTask } from "./read-worker.ts";
import { type RenderedSlices, renderSlices } from "./slices.ts";
import type { TotalCache } from "./total-cache.ts";
import { WorkerConnection } from "./worker-connection.ts";

export type ReadWorkersOptions = Pick<FairQueueOptions, "isFair"> & {
  /** The number of threads. Default: one for each core but one, at least one. */
  count?: number | undefined;
  /** The time for a read, with the time for which it waits. Default: 5 s. */
  timeoutMilliseconds?: number | undefined;
  /** Called between two reads, when no other one runs: a read that runs prevents a complete checkpoint. */
  checkpoint: () => Promise<unknown>;
  checkpointMilliseconds?: number | undefined;
  /** Called before a thread opens the file. Throws when it is another file now. */
  assertFileUnchanged: () => void;
  totals?: TotalCache | undefined;
  /** Milliseconds since 1970 UTC. */
  now: () => number;
  /** Called when a thread cannot be started, once until another one is. */
  onStartFailed?: ((error: unknown) => void) | undefined;
  /** Converts an error of SQLite. */
  translate: (error: unknown) => unknown;
};
type Read = {
  organizationId: number;
  run: (connection: WorkerConnection) => Promise<void>;
  reject: (error: unknown) => void;
  timeout: Timer | undefined;
};

/** Slow reads of one organization that wait. */
const maxWaitingReads = 32;
const maxQueueLength = 10_000;
export const defaultTimeoutMilliseconds = 5_000;
/** With reads all the time, the time between two checkpoints. Until then the WAL grows. */
const defaultCheckpointMilliseconds = 1_000;
const closeTimeoutMilliseconds = 1_000;
const noThread = "No thread for slow reads can be started.";

/** Runs slow reads on worker threads. The waiting organizations are served in turn. */
export class ReadWorkers {
  readonly #file: string;
  readonly #options: ReadWorkersOptions;
  readonly #maxCount: number;
  readonly #timeoutMilliseconds: number;
  readonly #waiting: FairQueue<Read>;
  readonly #renderedSlices = new Map<Slices, RenderedSlices>();
  readonly #connections: WorkerConnection[] = [];
  readonly #idle: WorkerConnection[] = [];
  #isClosed = false;
  #hasStartFailed = false;
  /** Work that waits until no read runs; no further read is started before it is done. */
  readonly #exclusive: (() => Promise<void>)[] = [];
  #isExclusive = false;
  /** The time since which reads run without an interruption. */
  #busySince: number | undefined;

  constructor(file: string, options: ReadWorkersOptions) {
    this.#file = file;
    this.#options = options;
    this.#maxCount = options.count ?? Math.max(1, availableParallelism() - 1);
    this.#timeoutMilliseconds = options.timeoutMilliseconds ?? defaultTimeoutMilliseconds;
    const { isFair } = options;
    this.#waiting = new FairQueue({
      maxLength: maxQueueLength,
      maxQueueLengthPerOrganization: isFair === false ? maxQueueLength : maxWaitingReads,
      isFair,
    });
  }

  /** Runs `fn` on one snapshot. Throws TooManyReads, QueryTimeout, EngineBusy, and what `fn` throws. */
  async read<T>(organizationId: number, fn: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new EngineStopping();
    this.#options.assertFileUnchanged();
    const deadline = performance.now() + this.#timeoutMilliseconds;
    return new Promise<T>((resolve, reject) => {
      const run = async (connection: WorkerConnection) => {
        const session = { isOver: false };
        try {
          resolve(await fn(this.#snapshot(connection, session, deadline)));
        } catch (error) {
          reject(error);
        } finally {
          session.isOver = true;
        }
      };
      this.#enqueue({ organizationId, run, reject, timeout: undefined });
    });
  }

  /** Runs `work` when no read runs. Throws what it throws. */
  whenIdle<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#exclusive.push(() => work().then(resolve, reject));
      this.#dispatch();
    });
  }

  /** Rejects waiting reads and waits a second for running ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#rejectWaiting(new EngineStopping());
    await Promise.all(this.#connections.map((connection) => connection.close(closeTimeoutMilliseconds)));
  }

  #rejectWaiting(error: Error): void {
    for (const { reject, timeout } of this.#waiting.take(maxQueueLength)) {
      clearTimeout(timeout);
      reject(error);
    }
  }

  #enqueue(read: Read): void {
    const rejected = this.#waiting.push(read);
    if (rejected) {
      clearTimeout(rejected.timeout);
      rejected.reject(new TooManyReads("Too many slow reads of the organization are waiting."));
    }
    if (rejected === read) return;
    read.timeout = setTimeout(() => {
      this.#waiting.remove(read);
      read.reject(new QueryTimeout("The read waited too long."));
    }, this.#timeoutMilliseconds);
    this.#dispatch();
  }

  #dispatch(): void {
    if (this.#isExclusive) return;
    const isRunning = this.#idle.length < this.#connections.length;
    if (!isRunning && this.#waiting.length === 0) this.#busySince = undefined;
    if (this.#isCheckpointDue && this.#exclusive.length === 0) this.#exclusive.push(() => this.#checkpoint());
    if (this.#exclusive.length > 0) {
      if (!isRunning) void this.#runExclusive();
      return;
    }
    while (this.#waiting.length > 0) {
      const connection = this.#idle.pop() ?? this.#connect();
      if (!connection && this.#connections.length === 0) this.#rejectWaiting(new TooManyReads(noThread));
      const [read] = connection ? this.#waiting.take(1) : [];
      if (!connection || !read) return;
      clearTimeout(read.timeout);
      void this.#run(connection, read);
    }
  }

  async #runExclusive(): Promise<void> {
    this.#isExclusive = true;
    for (const work of this.#exclusive.splice(0)) await work();
    this.#isExclusive = false;
    this.#dispatch();
  }

  async #checkpoint(): Promise<void> {
    // The next commit tries it again.
    await this.#options.checkpoint().catch(() => {});
    this.#busySince = undefined;
  }

  get #isCheckpointDue(): boolean {
    const { checkpointMilliseconds = defaultCheckpointMilliseconds } = this.#options;
    return this.#busySince !== undefined && performance.now() - this.#busySince > checkpointMilliseconds;
  }

  async #run(connection: WorkerConnection, read: Read): Promise<void> {
    this.#busySince ??= performance.now();
    await read.run(connection);
    await connection.end();
    if (connection.hasFailed) this.#connections.splice(this.#connections.indexOf(connection), 1);
    else this.#idle.push(connection);
    this.#dispatch();
  }

  /** A new thread; undefined when there are enough, or when it cannot be started: the threads that run are used. */
  #connect(): WorkerConnection | undefined {
    if (this.#connections.length >= this.#maxCount) return undefined;
    try {
      const connection = new WorkerConnection(this.#file);
      this.#connections.push(connection);
      this.#hasStartFailed = false;
      return connection;
    } catch (error) {
      // Too many threads, or no memory for one.
      if (!this.#hasStartFailed) this.#options.onStartFailed?.(error);
      this.#hasStartFailed = true;
      return undefined;
    }
  }

  #snapshot(connection: WorkerConnection, session: { isOver: boolean }, deadline: number): Snapshot {
    const run = async (task: WorkerTask): Promise<unknown[][]> => {
      if (session.isOver) throw new Error("the snapshot has ended: a read awaits each of its statements");
      if (performance.now() > deadline) throw new QueryTimeout("The read took too long.");
      try {
        return await connection.all(task);
      } catch (error) {
        throw this.#options.translate(error);
      }
    };
    const all = async <R>(statement: Statement<R>, values: Values): Promise<R[]> => {
      const whole = renderOnce(statement);
      const slices = statement.slices && this.#renderSlices(statement.slices);
      const rows = await run(
        slices
          ? { kind: "slices", slices, values, maxMilliseconds: deadline - performance.now() }
          : { kind: "statement", sql: whole.sql, params: whole.bind(values) },
      );
      return rows.map((row) => whole.toRow(row));
    };
    const { totals } = this.#options;
    // The thread begins its transaction later, so that the snapshot is the same or newer.
    const commitCount = totals?.commitCount ?? 0;
    return {
      now: this.#options.now(),
      all,
      first: async (statement, values) => {
        if (totals?.get(statement, values, commitCount)) {
          await run({ kind: "statement", sql: snapshotSql, params: [] });
          // Undefined if the organization had a commit before the snapshot.
          const total = totals.get(statement, values, commitCount);
          if (total) return total;
        }
        const [row] = await all(statement, values);
        totals?.set(statement, values, commitCount, row);
        return row;
      },
      // The index is in the memory of the serving thread, and newer than the snapshot.
      searchAccounts: async () => undefined,
    };
  }

  #renderSlices(slices: Slices): RenderedSlices {
    const rendered = this.#renderedSlices.get(slices) ?? renderSlices(slices);
    this.#renderedSlices.set(slices, rendered);
    return rendered;
  }
}
