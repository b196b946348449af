import { availableParallelism } from "node:os";
import type { EngineState, Snapshot } from "../../engine.ts";
import { EngineBusy, EngineStopping, LateRead, NoReader, QueryTimeout, TooManyReads } from "../../errors.ts";
import { FairQueue, maxSlowPerOrganization } from "../../fair-queue.ts";
import { OrganizationCounts } from "../../organization-counts.ts";
import { closeMilliseconds, pollMilliseconds, requestTimeoutMilliseconds } from "../../timer.ts";
import { ReaderProcess } from "./reader-process.ts";
import { createReaderSnapshot } from "./reader-snapshot.ts";

export type ReaderPoolOptions = {
  /** The maximum number of processes. Default: 3, or 4 with as many cores. */
  count?: number | undefined;
  /** The time for a read, with the time for which it waits. Default: 5 s. */
  timeoutMilliseconds?: number | undefined;
  /** Whether the WAL has to be moved into the file. Reads that overlap all the time prevent it. */
  isCheckpointDue: () => boolean;
  /** Called when no read runs. */
  checkpoint: () => Promise<unknown>;
  /** The minimum time between two checkpoints: another program can prevent them. Default: 1 s. */
  checkpointMilliseconds?: number | undefined;
  /** Called before a read. Throws when the path leads to another file now. */
  assertFileUnchanged: () => void;
  /** Milliseconds since 1970 UTC. */
  now: () => number;
  /** Called when a process cannot be started or ended by itself, once until a read is answered. */
  onFailed?: ((error: unknown) => void) | undefined;
  translate: (error: unknown) => unknown;
};
type Read = {
  organizationId: number;
  /** Undefined while it waits. */
  process?: ReaderProcess;
  /** As `performance.now()`; infinite while it waits. */
  startedAt: number;
  start: (process: ReaderProcess) => void;
  reject: (error: unknown) => void;
};

/** The time for a running read whose client has disconnected: a new process costs about as much. */
const disconnectedMilliseconds = 100;

/**
 * Runs reads in processes that are started on first use, and killed when a read takes too long. The waiting organizations
 * are served in turn. One process is not used by an organization that uses all others.
 */
export class ReaderPool {
  readonly #file: string;
  readonly #options: ReaderPoolOptions;
  readonly #maxCount: number;
  readonly #maxOfOrganization: number;
  readonly #timeoutMilliseconds: number;
  readonly #waiting = new FairQueue<Read>({ maxLengthPerOrganization: maxSlowPerOrganization });
  readonly #processes = new Set<ReaderProcess>();
  readonly #idle: ReaderProcess[] = [];
  readonly #running = new OrganizationCounts();
  /** Work that waits until no read runs; no further read is started before it is done. */
  readonly #exclusive: (() => Promise<void>)[] = [];
  #isExclusive = false;
  #checkpointAt = Number.NEGATIVE_INFINITY;
  #killedCount = 0;
  #isClosed = false;
  #hasFailed = false;

  constructor(file: string, options: ReaderPoolOptions) {
    const { count = Math.min(4, Math.max(3, availableParallelism())) } = options;
    this.#file = file;
    this.#options = options;
    this.#maxCount = count;
    this.#maxOfOrganization = Math.max(1, count - 1);
    this.#timeoutMilliseconds = options.timeoutMilliseconds ?? requestTimeoutMilliseconds;
  }

  /**
   * Runs `fn` on one snapshot. Throws TooManyReads, QueryTimeout, EngineBusy, and what `fn` throws. When `signal` is
   * aborted, nobody waits for the result any more.
   */
  async read<T>(
    organizationId: number,
    fn: (snapshot: Snapshot) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    if (this.#isClosed) throw new EngineStopping();
    this.#options.assertFileUnchanged();
    const { promise, resolve, reject } = Promise.withResolvers<ReaderProcess>();
    const read: Read = { organizationId, startedAt: Number.POSITIVE_INFINITY, start: resolve, reject };
    const onTimeout = () => {
      const isLate = performance.now() - read.startedAt < this.#timeoutMilliseconds / 2;
      this.#stop(read, new (isLate ? LateRead : QueryTimeout)("The read took too long."));
    };
    let timer = setTimeout(onTimeout, this.#timeoutMilliseconds);
    const onAbort = () => {
      clearTimeout(timer);
      const stop = () => this.#stop(read, new EngineBusy("The client disconnected."));
      if (read.process) timer = setTimeout(stop, disconnectedMilliseconds);
      else stop();
    };
    signal?.addEventListener("abort", onAbort);
    try {
      if (signal?.aborted) onAbort();
      else {
        const rejected = this.#waiting.push(read);
        rejected?.reject(new TooManyReads("Too many slow reads of the organization are waiting."));
        this.#dispatch();
      }
      return await this.#run(await promise, read, fn);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  state(): NonNullable<EngineState["readers"]> {
    const processCount = this.#processes.size;
    const busyCount = processCount - this.#idle.length;
    return { processCount, busyCount, waitingCount: this.#waiting.length, killedCount: this.#killedCount };
  }

  /** Runs `work` when no read runs. Throws what it throws. */
  whenIdle<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#exclusive.push(() => work().then(resolve, reject));
      this.#dispatch();
    });
  }

  /** Rejects waiting reads, waits a second for running ones, and ends the processes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#rejectWaiting(new EngineStopping());
    const isIdle = this.whenIdle(async () => {});
    if (this.#running.total > 0) await Promise.race([isIdle, Bun.sleep(closeMilliseconds)]);
    await Promise.all([...this.#processes].map((process) => process.kill(new EngineStopping())));
  }

  #stop(read: Read, error: Error): void {
    this.#waiting.remove(read);
    if (!read.process) read.reject(error);
    else {
      this.#killedCount += 1;
      void read.process.kill(error);
    }
  }

  #rejectWaiting(error: Error): void {
    for (const { reject } of this.#waiting.take()) reject(error);
  }

  #dispatch(): void {
    if (this.#isExclusive) return;
    if (this.#exclusive.length === 0 && this.#isCheckpointDue())
      this.#exclusive.push(() => this.#checkpoint());
    if (this.#exclusive.length === 0) this.#startReads();
    else if (this.#running.total === 0) void this.#runExclusive();
  }

  #isCheckpointDue(): boolean {
    const { checkpointMilliseconds = pollMilliseconds, isCheckpointDue } = this.#options;
    return performance.now() - this.#checkpointAt >= checkpointMilliseconds && isCheckpointDue();
  }

  async #checkpoint(): Promise<void> {
    // If it fails, the next commit tries it again.
    await this.#options.checkpoint().catch(() => {});
    this.#checkpointAt = performance.now();
  }

  async #runExclusive(): Promise<void> {
    this.#isExclusive = true;
    for (const work of this.#exclusive.splice(0)) await work();
    this.#isExclusive = false;
    this.#startReads();
    if (this.#exclusive.length > 0) this.#dispatch();
  }

  #startReads(): void {
    while (this.#idle.length > 0 || this.#processes.size < this.#maxCount) {
      const read = this.#waiting.takeNext(
        ({ organizationId }) => this.#running.of(organizationId) < this.#maxOfOrganization,
      );
      if (!read) return;
      const process = this.#idle.pop() ?? this.#start();
      if (process) {
        read.process = process;
        read.startedAt = performance.now();
        this.#running.add(read.organizationId, 1);
        read.start(process);
        continue;
      }
      // The processes that run are used.
      this.#waiting.putBack([read]);
      if (this.#processes.size === 0) this.#rejectWaiting(new NoReader("No reader can be started."));
      return;
    }
  }

  /** Undefined when it cannot be started: too many processes, descriptors, or no memory for one. */
  #start(): ReaderProcess | undefined {
    try {
      const process = new ReaderProcess(this.#file, (failure) => {
        this.#processes.delete(process);
        if (this.#idle.includes(process)) this.#idle.splice(this.#idle.indexOf(process), 1);
        if (failure) this.#reportFailure(failure);
      });
      this.#processes.add(process);
      return process;
    } catch (error) {
      this.#reportFailure(error);
      return undefined;
    }
  }

  #reportFailure(error: unknown): void {
    if (!this.#hasFailed) this.#options.onFailed?.(error);
    this.#hasFailed = true;
  }

  async #run<T>(process: ReaderProcess, read: Read, fn: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const { now, translate } = this.#options;
    const snapshot = createReaderSnapshot(process, now(), translate);
    try {
      return await fn(snapshot);
    } finally {
      snapshot.end();
      void this.#release(process, read);
    }
  }

  async #release(process: ReaderProcess, { organizationId }: Read): Promise<void> {
    await process.end();
    this.#running.add(organizationId, -1);
    if (!process.hasFailed) {
      this.#hasFailed = false;
      this.#idle.push(process);
    }
    this.#dispatch();
  }
}
