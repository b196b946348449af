import type { ReservedSQL } from "bun";
import type { Transaction, WriteOptions } from "../../engine.ts";
import { EngineBusy, EngineStopping } from "../../errors.ts";
import { FairQueue } from "../../fair-queue.ts";
import type { CommittedBatch } from "../../storage.ts";
import type { Session } from "../connections/session.ts";
import { maxLockWaitMilliseconds } from "../connections/session-options.ts";
import { isRetried, slowFailureMilliseconds } from "../errors.ts";
import { type BatchPart, maxRepeats, partition, partsAfter, settle } from "./batch-parts.ts";
import { BatchRecord } from "./batch-record.ts";
import { NewIds } from "./new-ids.ts";
import { type Locks, lockAll, lockFree } from "./organization-locks.ts";
import { type LaneResult, type LaneWrite, runWrites } from "./run-writes.ts";

type LaneOptions = {
  session: Session;
  /** Milliseconds since 1970 UTC. */
  now: () => number;
  onCommit?: ((batch: CommittedBatch) => void) | undefined;
  /** Called with the latest time of each transaction. */
  onTransaction: (time: number) => void;
  /** After this time and a slow failure, a batch does not run again: another write may take as long to fail. */
  maxRerunMilliseconds?: number | undefined;
};

/**
 * A generic plan from the time when a table was small may read all rows of an organization for a list of keys, in each of
 * thousands of transactions: the server replaces it only after it has analyzed the table.
 */
const forceCustomPlan = (sql: ReservedSQL) => sql`set local plan_cache_mode = force_custom_plan`;

const maxBatchSize = 32;
const defaultMaxRerunMilliseconds = 2_000;
/** The pause between two attempts to lock organizations that other transactions have locked. */
const lockPauseMilliseconds = 50;

/**
 * Group commit: waiting writes share one transaction without savepoints, and their statements are pipelined. If a write
 * fails after changing rows, the batch is rolled back and run again without it. Writes of organizations that another
 * transaction has locked run in a later batch. See docs/architecture.md.
 */
export class WriteLane {
  readonly #session: Session;
  readonly #record = new BatchRecord();
  readonly #now: () => number;
  readonly #onTransaction: (time: number) => void;
  readonly #onCommit: LaneOptions["onCommit"];
  readonly #maxRerunMilliseconds: number;
  readonly #waiting = new FairQueue<LaneWrite>();
  /** When each organization was first found locked by another transaction for longer than a batch waits. */
  readonly #lockedSince = new Map<number, number>();
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: LaneOptions) {
    this.#session = options.session;
    this.#now = options.now;
    this.#onTransaction = options.onTransaction;
    this.#onCommit = options.onCommit;
    this.#maxRerunMilliseconds = options.maxRerunMilliseconds ?? defaultMaxRerunMilliseconds;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Resolves after the commit is durable. Throws what `work` throws, EngineBusy, or OutcomeUnknown. */
  push<T>(
    organizationId: number,
    work: (tx: Transaction) => Promise<T>,
    { isBulk = false, rowCount = 1, firstRead, insertsInto }: WriteOptions = {},
  ): Promise<T> {
    if (this.#isClosed) return Promise.reject(new EngineStopping());
    return new Promise<T>((resolve, reject) => {
      // Safe: the promise is resolved with the value that `work` returns.
      const settlers = { resolve: resolve as LaneWrite["resolve"], reject };
      const write = {
        organizationId,
        work,
        isBulk,
        rowCount,
        firstRead,
        insertsInto,
        ...settlers,
      };
      this.#waiting.push(write)?.reject(new EngineBusy("Too many writes are waiting."));
      this.#running ??= this.#run();
    });
  }

  /** Rejects new writes and waits for running ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
    this.#session.discard();
  }

  async #run(): Promise<void> {
    // The writes of all requests that arrived in this turn of the event loop join the first batch.
    await new Promise<void>((resolve) => setImmediate(resolve));
    let isLocked = false;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.take(maxBatchSize);
      const startedAt = performance.now();
      // A transaction that only looks whether the lock is free never gets it from a copy that takes it again at once.
      const isWaiting =
        isLocked && batch.every(({ organizationId }) => organizationId === batch[0]?.organizationId);
      try {
        const locked = await this.#runBatch(
          { writes: batch, isPipelined: true, isBuffered: true, isWaiting },
          startedAt,
        );
        this.#delay(locked, startedAt);
        isLocked = locked.length === batch.length;
        if (isLocked && !isWaiting) await Bun.sleep(lockPauseMilliseconds);
      } catch (error) {
        for (const write of batch) {
          this.#lockedSince.delete(write.organizationId);
          write.reject(error);
        }
        if (performance.now() - startedAt > slowFailureMilliseconds)
          for (const write of this.#waiting.take())
            write.reject(new EngineBusy("The database is not available."));
      }
    }
    this.#running = undefined;
  }

  /** Queues writes of locked organizations again. Rejects all writes of an organization that is locked for too long. */
  #delay(writes: readonly LaneWrite[], startedAt: number): void {
    for (const [id, writesOfOrganization] of Map.groupBy(writes, ({ organizationId }) => organizationId)) {
      const since = this.#lockedSince.get(id) ?? startedAt;
      this.#lockedSince.set(id, since);
      if (performance.now() - since < maxLockWaitMilliseconds) {
        this.#waiting.putBack(writesOfOrganization);
        continue;
      }
      this.#lockedSince.delete(id);
      const error = new EngineBusy("The organization is locked for too long.");
      for (const write of [...writesOfOrganization, ...this.#waiting.takeAllOf({ organizationId: id })])
        write.reject(error);
    }
  }

  /**
   * Runs the writes until each is stored or has failed. After a failure, the writes before it run again, and the writes
   * after it for the first time, so that many failures do not cause many runs. Resolves with the writes of locked
   * organizations. Throws when no write can be stored.
   */
  async #runBatch(batch: BatchPart, startedAt: number): Promise<LaneWrite[]> {
    const parts = [batch];
    const locked: LaneWrite[] = [];
    let retryCount = 0;
    for (let part = parts.shift(); part; part = parts.shift()) {
      if (part.writes.length === 0) continue;
      const ranAt = performance.now();
      try {
        const { locks, ...result } = await this.#runOnce(part);
        const [free, others] = partition(part.writes, locks);
        if (result.outcomes.length > 0)
          this.#onCommit?.({ writeCount: free.length, milliseconds: performance.now() - ranAt });
        settle(result.outcomes);
        settle(result.failures.filter(({ isFinal }) => isFinal));
        parts.unshift(...partsAfter({ ...part, writes: free }, result));
        const [stillLocked, newlyLocked] = part.isWaiting
          ? [others, []]
          : partition(others, this.#lockedSince);
        locked.push(...stillLocked);
        parts.push({ ...part, writes: newlyLocked, isWaiting: true });
        const isSlow = performance.now() - ranAt > slowFailureMilliseconds;
        if (result.isUnavailable && isSlow && performance.now() - startedAt > this.#maxRerunMilliseconds)
          throw new EngineBusy("The database is too slow.");
      } catch (error) {
        retryCount += 1;
        if (!isRetried(error) || retryCount > maxRepeats) throw error;
        parts.unshift(part);
      }
    }
    return locked;
  }

  /**
   * Runs the writes of those organizations that it can lock in one transaction. With a failure in the result, nothing
   * was stored.
   */
  async #runOnce({ writes, isWaiting, ...options }: BatchPart): Promise<LaneResult & { locks: Locks }> {
    await this.#session.connect();
    try {
      const { locks, ids } = await this.#begin(writes, isWaiting);
      const [free] = partition(writes, locks);
      const isStopping = () => this.#isClosed;
      const commit = () => this.#record.commit(this.#session);
      const shared = { organizations: locks, ids, isStopping, commit };
      const result = await runWrites(this.#session, free, { ...options, ...shared });
      if (result.failures.length > 0 || result.hasRowFailure || free.length === 0)
        await this.#session.rollBack();
      else if (!result.isStored) await commit();
      return { ...result, locks };
    } catch (error) {
      await this.#session.rollBack();
      throw error;
    }
  }

  /** Begins a transaction and locks organizations. It waits for them if it can lock none at once. */
  async #begin(writes: readonly LaneWrite[], isWaiting = false): Promise<{ locks: Locks; ids: NewIds }> {
    const session = this.#session;
    const organizationIds = [...new Set(writes.map(({ organizationId }) => organizationId))].sort(
      (a, b) => a - b,
    );
    const isBulk = writes.some((write) => write.isBulk);
    const request = { ids: organizationIds, now: this.#now(), batch: this.#record.next() };
    const begun = [
      session.begin("read write"),
      isBulk && session.command(forceCustomPlan),
      this.#record.removeOld(session),
    ];
    const lockAndRead = async (lock: typeof lockAll) => {
      const locking = lock(session, request);
      // An id from before the lock could be smaller than an id of a later batch that commits earlier.
      const ids = prefetch(session, writes);
      return { locks: await locking, ids };
    };
    let [result] = await Promise.all([lockAndRead(isWaiting ? lockAll : lockFree), ...begun]);
    const isFirst = !isWaiting && organizationIds.every((id) => !this.#lockedSince.has(id));
    if (result.locks.size === 0 && isFirst) result = await lockAndRead(lockAll);
    for (const [id, { now }] of result.locks) {
      this.#lockedSince.delete(id);
      this.#onTransaction(now);
    }
    return result;
  }
}

/** Sends what the writes read first. */
function prefetch(session: Session, writes: readonly LaneWrite[]): NewIds {
  const rowCount = writes.reduce((sum, write) => sum + Math.ceil(write.rowCount), 0);
  const ids = new NewIds(session, rowCount);
  for (const table of new Set(writes.map(({ insertsInto }) => insertsInto))) if (table) ids.prefetch(table);
  for (const write of writes) {
    const { firstRead } = write;
    write.firstRows = firstRead && session.all(firstRead.statement, firstRead.values);
    write.firstRows?.catch(() => {});
  }
  return ids;
}
