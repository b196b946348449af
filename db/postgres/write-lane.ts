import type { Transaction } from "../engine.ts";
import { EngineBusy, EngineStopping, OutcomeUnknown } from "../errors.ts";
import { FairQueue } from "../fair-queue.ts";
import { isRetried } from "./errors.ts";
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
  /** For the question whether a commit whose reply was lost is stored. */
  lookup: Session;
  /** Milliseconds since 1970 UTC. */
  now: () => number;
  /** Called with the latest time of each transaction. */
  onTransaction: (time: number) => void;
  /** For how long the outcome of a commit is asked for. */
  timeoutMilliseconds?: number;
};

const maxBatchSize = 64;
const maxQueueLength = 10_000;
/** How often a batch is run again after a deadlock. */
const maxRetries = 3;
const defaultTimeoutMilliseconds = 4_000;
/** A transaction that is so much later than the clock follows the clock: the clock was set back. */
const maxAheadMilliseconds = 3_600_000;

/**
 * Group commit. The waiting writes run in one transaction, without savepoints, because those cost a third of the rate.
 * The transaction locks its organizations first, in the order of their ids, so that the writes of an organization
 * are serial on all copies and batches cannot deadlock. The writes of one organization run one after another, those of
 * different organizations side by side on the same connection. When a write fails after it changed rows, the
 * transaction is rolled back, and the others run again without it.
 */
export class WriteLane {
  readonly #session: Session;
  readonly #lookup: Session;
  readonly #now: () => number;
  readonly #onTransaction: (time: number) => void;
  readonly #timeoutMilliseconds: number;
  readonly #waiting = new FairQueue<LaneWrite>({ maxLength: maxQueueLength });
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: LaneOptions) {
    this.#session = options.session;
    this.#lookup = options.lookup;
    this.#now = options.now;
    this.#onTransaction = options.onTransaction;
    this.#timeoutMilliseconds = options.timeoutMilliseconds ?? defaultTimeoutMilliseconds;
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
      try {
        settle(await this.#runBatch(batch));
      } catch (error) {
        for (const write of batch) write.reject(error);
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
    const session = this.#session;
    await session.connect();
    const { times, transactionId } = await this.#begin(writes);
    let culprit: Failure | undefined;
    const runLane = async (lane: readonly LaneWrite[]): Promise<Outcome[]> => {
      const outcomes: Outcome[] = [];
      for (const write of lane) {
        if (culprit) break;
        const tx = new PostgresTransaction(
          session,
          times.get(write.organizationId) ?? 0,
          () => this.#isClosed,
        );
        try {
          outcomes.push({ write, value: await write.work(tx) });
        } catch (error) {
          if (tx.isDirty) culprit ??= { write, error };
          else outcomes.push({ write, error });
        } finally {
          tx.end();
        }
      }
      return outcomes;
    };
    const lanes = Map.groupBy(writes, ({ organizationId }) => organizationId);
    const outcomes = (await Promise.all([...lanes.values()].map(runLane))).flat();
    if (!culprit) {
      await this.#commit(transactionId);
      return { outcomes };
    }
    // Without a connection, or after a deadlock, nothing was stored, and no write is to blame.
    const { error } = culprit;
    if (!session.isOpen || isRetried(error)) {
      if (session.isOpen) await session.command((sql) => sql`rollback`);
      throw error;
    }
    await session.command((sql) => sql`rollback`);
    return { culprit };
  }

  /** Begins a transaction and locks the organizations. Returns the time of the transaction in each of them. */
  async #begin(writes: readonly LaneWrite[]): Promise<{ times: Map<number, number>; transactionId: string }> {
    const session = this.#session;
    const ids = [...new Set(writes.map(({ organizationId }) => organizationId))].sort((a, b) => a - b);
    const lock = () => session.query(lockOrganizations, [`{${ids}}`, String(this.#now())]);
    const [, rows] = await Promise.all([session.command((sql) => sql`begin`), lock()]);
    let locked: unknown[][] = rows;
    if (locked.length < ids.length) {
      await session.query(addOrganizations, [`{${ids}}`]);
      locked = await lock();
    }
    const times = new Map(locked.map(([id, time]) => [Number(id), Number(time)]));
    this.#onTransaction(Math.max(...times.values()));
    return { times, transactionId: String(locked[0]?.[2]) };
  }

  /** Throws EngineBusy when nothing was stored, and OutcomeUnknown when that cannot be found out. */
  async #commit(transactionId: string): Promise<void> {
    try {
      await this.#session.command((sql) => sql`commit`);
    } catch (error) {
      if (!(error instanceof EngineBusy)) throw error;
      if (await this.#isCommitted(transactionId)) return;
      throw error;
    }
  }

  /** Asks the server about a commit whose reply was lost. */
  async #isCommitted(transactionId: string): Promise<boolean> {
    const until = performance.now() + this.#timeoutMilliseconds;
    for (;;) {
      try {
        await this.#lookup.connect();
        const [row] = await this.#lookup.query("select pg_xact_status(cast($1 as xid8))", [transactionId]);
        const status = row?.[0];
        if (status === "committed") return true;
        if (status === "aborted") return false;
      } catch {
        // The server may be starting again.
      }
      if (performance.now() > until)
        throw new OutcomeUnknown("The connection was lost during the commit: the change may be stored.");
      await Bun.sleep(50);
    }
  }
}

/** Locks the rows in the order of the ids, and only then updates them. */
const lockOrganizations = `with locked as materialized (
  select organization_id from organization_locks
  where organization_id = any(cast($1 as bigint[])) order by organization_id for no key update
)
update organization_locks as own set last_transaction_at = case
    when own.last_transaction_at between cast($2 as bigint) and cast($2 as bigint) + ${maxAheadMilliseconds}
    then own.last_transaction_at else cast($2 as bigint) end
from locked where own.organization_id = locked.organization_id
returning own.organization_id, own.last_transaction_at, cast(pg_current_xact_id() as text)`;
const addOrganizations = `insert into organization_locks (organization_id, last_transaction_at)
select id, 0 from unnest(cast($1 as bigint[])) as added (id) order by id on conflict do nothing`;

function settle(outcomes: readonly Outcome[]): void {
  for (const outcome of outcomes) {
    if ("error" in outcome) outcome.write.reject(outcome.error);
    else outcome.write.resolve(outcome.value);
  }
}
