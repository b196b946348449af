import type { Transaction } from "../engine.ts";
import { EngineBusy, EngineStopping } from "../errors.ts";
import { FairQueue } from "../fair-queue.ts";
import { BatchRecord } from "./batch-record.ts";
import { isAborted, isRetried } from "./errors.ts";
import { lockOrganizations } from "./organization-locks.ts";
import type { Session } from "./session.ts";
import { PostgresTransaction } from "./transaction.ts";

type LaneWork = (tx: Transaction) => Promise<unknown>;
type LaneWrite = {
  organizationId: number;
  work: LaneWork;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};
type Failure = { write: LaneWrite; error: unknown };
type Outcome = { write: LaneWrite; value: unknown } | Failure;

export type LaneOptions = {
  session: Session;
  /** Milliseconds since 1970 UTC. */
  now: () => number;
  /** Called with the latest time of each transaction. */
  onTransaction: (time: number) => void;
};

const maxBatchSize = 64;
const maxQueueLength = 10_000;
/** How often a batch is run again after a deadlock. */
const maxRetries = 3;
/** For how long the outcome of a commit is asked for, and how long that and the commit may take. */
const maxAskMilliseconds = 4_000;
const maxCommitMilliseconds = 7_500;
/** A batch that lost its connection after this time takes the waiting writes with it: they would wait for as long. */
const slowLossMilliseconds = 1_000;

/**
 * Group commit. The waiting writes run in one transaction, without savepoints, because those cost a third of the rate.
 * The transaction locks its organizations first, in the order of their ids, so that the writes of an organization
 * are serial on all copies and batches cannot deadlock. The writes of one organization run one after another, those of
 * different organizations side by side on the same connection. When a write fails after it changed rows, the
 * transaction is rolled back, and the others run again without it.
 */
export class WriteLane {
  readonly #session: Session;
  readonly #record = new BatchRecord();
  readonly #now: () => number;
  readonly #onTransaction: (time: number) => void;
  readonly #waiting = new FairQueue<LaneWrite>({ maxLength: maxQueueLength });
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: LaneOptions) {
    this.#session = options.session;
    this.#now = options.now;
    this.#onTransaction = options.onTransaction;
  }

  /** Resolves after the commit is durable. Throws what `work` throws, EngineBusy, or OutcomeUnknown. */
  push<T>(organizationId: number, work: (tx: Transaction) => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new EngineStopping());
    return new Promise<T>((resolve, reject) => {
      // Safe: the promise is resolved with the value that `work` returns.
      const write = { organizationId, work, resolve: resolve as LaneWrite["resolve"], reject };
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
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.take(maxBatchSize);
      const startedAt = performance.now();
      try {
        settle(await this.#runBatch(batch));
      } catch (error) {
        for (const write of batch) write.reject(error);
        if (!this.#session.isOpen && performance.now() - startedAt > slowLossMilliseconds)
          for (const write of this.#waiting.take(maxQueueLength))
            write.reject(new EngineBusy("The database is not available."));
      }
    }
    this.#running = undefined;
  }

  /** Runs the writes until they are stored, without those that fail. */
  async #runBatch(batch: readonly LaneWrite[]): Promise<Outcome[]> {
    const failed: Outcome[] = [];
    let writes = [...batch];
    for (let retries = 0; writes.length > 0; ) {
      try {
        const attempt = await this.#attempt(writes);
        if (!("culprit" in attempt)) return [...failed, ...attempt.outcomes];
        failed.push(attempt.culprit);
        writes = writes.filter((write) => write !== attempt.culprit.write);
      } catch (error) {
        retries += 1;
        if (!isRetried(error) || retries > maxRetries) throw error;
      }
    }
    return failed;
  }

  /** Runs the writes in one transaction. Returns the write because of which nothing was stored, if there is one. */
  async #attempt(writes: readonly LaneWrite[]): Promise<{ outcomes: Outcome[] } | { culprit: Failure }> {
    await this.#session.connect();
    try {
      const times = await this.#begin(writes);
      const result = await this.#runWrites(writes, times);
      if ("outcomes" in result) await this.#commit();
      else await this.#session.rollBack();
      return result;
    } catch (error) {
      await this.#session.rollBack();
      throw error;
    }
  }

  async #runWrites(
    writes: readonly LaneWrite[],
    times: Map<number, number>,
  ): Promise<{ outcomes: Outcome[] } | { culprit: Failure }> {
    // The first one is to blame. The server runs no statement after an error.
    const failures: Failure[] = [];
    const statementErrors: unknown[] = [];
    const runLane = async (lane: readonly LaneWrite[]): Promise<Outcome[]> => {
      const outcomes: Outcome[] = [];
      for (const write of lane) {
        if (failures.length > 0) break;
        const tx = new PostgresTransaction(this.#session, times.get(write.organizationId) ?? 0, {
          isStopping: () => this.#isClosed,
          // A write that goes on after the error fails, too: the server ignores its changes.
          onFailure: (error) => {
            if (isAborted(error)) return;
            statementErrors.push(error);
            failures.push({ write, error });
          },
        });
        try {
          outcomes.push({ write, value: await write.work(tx) });
        } catch (error) {
          if (failures[0]?.write === write) failures[0] = { write, error };
          else if (tx.isDirty) failures.push({ write, error });
          else outcomes.push({ write, error });
        } finally {
          tx.end();
        }
      }
      return outcomes;
    };
    const lanes = Map.groupBy(writes, ({ organizationId }) => organizationId);
    const outcomes = (await Promise.all([...lanes.values()].map(runLane))).flat();
    // Without a connection, or after a deadlock, nothing was stored, and no write is to blame.
    if (!this.#session.isOpen) throw new EngineBusy("The connection to the database was lost.");
    if (isRetried(statementErrors[0])) throw statementErrors[0];
    const [culprit] = failures;
    return culprit ? { culprit } : { outcomes };
  }

  /** Begins a transaction and locks the organizations. Returns the time of the transaction in each of them. */
  async #begin(writes: readonly LaneWrite[]): Promise<Map<number, number>> {
    const session = this.#session;
    const ids = [...new Set(writes.map(({ organizationId }) => organizationId))].sort((a, b) => a - b);
    const [, , times] = await Promise.all([
      session.begin("read write"),
      this.#record.mark(session),
      lockOrganizations(session, ids, this.#now()),
    ]);
    this.#onTransaction(Math.max(...times.values()));
    return times;
  }

  /** Throws EngineBusy when nothing was stored, and OutcomeUnknown when that cannot be found out. */
  async #commit(): Promise<void> {
    const sentAt = performance.now();
    try {
      const command = await this.#session.command((sql) => sql`commit`);
      if (command !== "COMMIT") throw new Error("a write did not await a statement, which failed");
    } catch (error) {
      if (!(error instanceof EngineBusy)) throw error;
      const until = Math.min(performance.now() + maxAskMilliseconds, sentAt + maxCommitMilliseconds);
      if (!(await this.#record.isStored(this.#session, until))) throw error;
    }
  }
}

function settle(outcomes: readonly Outcome[]): void {
  for (const outcome of outcomes) {
    if ("error" in outcome) outcome.write.reject(outcome.error);
    else outcome.write.resolve(outcome.value);
  }
}
