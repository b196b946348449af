import type { Transaction, Values } from "../../engine.ts";
import { EngineStopping } from "../../errors.ts";
import { yieldToEventLoop } from "../../event-loop.ts";
import type { Statement } from "../../statements.ts";
import type { Session } from "../connections/session.ts";
import { statementOf } from "../prepared.ts";
import type { NewIds } from "./new-ids.ts";
import type { LockedOrganization } from "./organization-locks.ts";
import type { PendingUpserts } from "./pending-upserts.ts";
import type { RowBuffer } from "./row-buffer.ts";
import { insertAll } from "./row-sets.ts";

/** What the writes of a batch share while it runs. */
export type BatchRun = {
  session: Session;
  /** Whether a write continues before its statements are done, where it needs no result of them. */
  isPipelined: boolean;
  /** Promises of pipelined statements; they never reject. */
  sent: Promise<unknown>[];
  /** The rows to insert and update together; undefined when each write sends its own. */
  buffer: RowBuffer | undefined;
  upserts: PendingUpserts;
  ids: NewIds;
  /** The number of the last change of each organization. */
  lastSequences: Map<number, number>;
  isStopping: () => boolean;
};

/**
 * Called with the error of a statement, after which PostgreSQL runs no further one of the batch. Unless `isAwaited`,
 * the write did not wait for the statement and did not receive the error.
 */
type FailureListener = (error: unknown, isAwaited: boolean) => void;

/** The failure of a pipelined write that continued with the frequent result of a statement. */
const unexpectedResult = new Error("a statement had another result than expected");

/** One write of a batch, on the batch's connection. */
export class PostgresTransaction implements Transaction {
  readonly now: number;
  /** Whether a rollback is needed when the write fails: it may have changed rows. */
  isDirty = false;
  readonly #batch: BatchRun;
  readonly #onFailure: FailureListener;
  /** The rare tables that may have rows of the organization, by earlier writes of the batch, too. */
  readonly #rareTables: Set<unknown>;
  #isOver = false;
  #changeCount = 0;
  /** Whether a statement failed that the write waited for. */
  #hasFailed = false;
  /** Of an attempt, which undoes its statements when one has failed. */
  #savepoint: { hasFailed: boolean } | undefined;

  constructor(
    batch: BatchRun,
    { now, rareTables }: Pick<LockedOrganization, "now" | "rareTables">,
    onFailure: FailureListener,
  ) {
    this.#batch = batch;
    this.now = now;
    this.#rareTables = rareTables;
    this.#onFailure = onFailure;
  }

  /** Called when the function of the transaction has ended: a statement that it did not await fails from now on. */
  end(): void {
    this.#isOver = true;
  }

  async first<R>(statement: Statement<R>, values: Values): Promise<R | undefined> {
    await this.#batch.upserts.endFor(statement);
    this.#batch.buffer?.flushFor(statement);
    return this.#report(statement, (session) => session.first(statement, values));
  }

  async all<R>(statement: Statement<R>, values: Values): Promise<R[]> {
    await this.#batch.upserts.endFor(statement);
    this.#batch.buffer?.flushFor(statement);
    return this.#report(statement, (session) => session.all(statement, values));
  }

  async findRare<R>(statement: Statement<R>, values: Values): Promise<R | undefined> {
    const { rareTable } = statementOf(statement);
    if (rareTable && !this.#rareTables.has(rareTable)) return undefined;
    if (!this.#batch.isPipelined) return this.first(statement, values);
    this.#batch.buffer?.flushFor(statement);
    await this.#send(statement, async (session) => {
      if (await session.first(statement, values)) throw unexpectedResult;
    });
    return undefined;
  }

  async count(statement: Statement<unknown>, values: Values): Promise<number> {
    await this.#batch.upserts.endFor(statement);
    this.#batch.buffer?.flush();
    return this.#report(statement, (session) => session.count(statement, values));
  }

  async run(statement: Statement<unknown>, values: Values): Promise<void> {
    const { buffer } = this.#batch;
    const { insertPlan, updatePlan } = statement;
    if (buffer && !this.#isOver && (insertPlan?.isPlain || updatePlan)) {
      if (insertPlan) buffer.addInsert(statement, values);
      else buffer.addUpdate(statement, values);
      return this.#markChange(statement);
    }
    await this.#batch.upserts.endFor(statement);
    if (statementOf(statement).isUpdate) buffer?.flushForUpdate(statement);
    else buffer?.flush();
    return this.#send(statement, (session) => session.count(statement, values));
  }

  async updateOrInsert(
    update: Statement<unknown>,
    insert: Statement<unknown>,
    values: Values,
  ): Promise<void> {
    const { isPipelined, upserts, sent } = this.#batch;
    const { table = "" } = insert.insertPlan ?? {};
    const texts = Object.values(values).filter((value) => typeof value === "string");
    const key = [update.name, values.organizationId, ...texts].join();
    const isAwaited = !isPipelined;
    const work = async (session: Session) => {
      if ((await session.count(update, values)) === 0) await session.count(insert, values);
    };
    const run = () => {
      // `insert` needs no flush: rows of its table reference organizations only, and those are not buffered.
      this.#batch.buffer?.flushFor(update);
      return this.#report(update, work, { isAwaited });
    };
    if (isAwaited) return run();
    const { ended } = await upserts.begin(key, table, run);
    sent.push(ended);
  }

  async insert(statement: Statement<unknown>, values: Values): Promise<number> {
    const { insertPlan } = statement;
    if (!insertPlan) throw new Error(`not an insert of values: ${statement.name}`);
    const { buffer, ids } = this.#batch;
    const id = await this.#report(statement, () => ids.next(insertPlan.table));
    if (buffer && !this.#isOver) {
      buffer.addInsert(statement, values, id);
      this.#markChange(statement);
    } else await this.#send(statement, (session) => session.insert(statement, values, id));
    return id;
  }

  insertAll(statement: Statement<unknown>, rows: readonly Values[]): Promise<boolean[]> {
    this.#batch.buffer?.flush();
    return this.#report(statement, (session) => insertAll(session, statement, rows));
  }

  /** Without a savepoint at first: each is a statement, and few attempts fail after a change. */
  async attempt<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#batch.isPipelined) return this.#attemptWithSavepoint(work);
    const before = this.#changeCount;
    try {
      return await work();
    } catch (error) {
      // The batch ends with the error of a statement that was awaited.
      if (this.#changeCount === before || this.#hasFailed) throw error;
      this.#onFailure(unexpectedResult, false);
      throw unexpectedResult;
    }
  }

  /** Pipelined at first, too. When a statement failed, `work` runs again and waits for each, so that it sees the error. */
  async #attemptWithSavepoint<T>(work: () => Promise<T>): Promise<T> {
    const batch = this.#batch;
    const sequences = [...batch.lastSequences];
    const undo = async () => {
      await batch.session.command((sql) => sql`rollback to savepoint attempt`);
      for (const [organizationId, sequence] of sequences) batch.lastSequences.set(organizationId, sequence);
    };
    this.#savepoint = { hasFailed: false };
    // The statement after it would fail as well.
    batch.sent.push(batch.session.command((sql) => sql`savepoint attempt`).catch(() => {}));
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
      batch.sent.push(batch.session.command((sql) => sql`release savepoint attempt`).catch(() => {}));
    }
  }

  async #pipelined<T>(work: () => Promise<T>): Promise<T> {
    const batch = this.#batch;
    batch.isPipelined = true;
    try {
      return await work();
    } finally {
      batch.isPipelined = false;
      await Promise.all(batch.sent.splice(0));
    }
  }

  async nextSequence(organizationId: number): Promise<number> {
    const { lastSequences } = this.#batch;
    const next = (lastSequences.get(organizationId) ?? 0) + 1;
    lastSequences.set(organizationId, next);
    return next;
  }

  async pause(): Promise<void> {
    const { buffer, sent } = this.#batch;
    if (buffer?.isFull) buffer.flush();
    await Promise.all([...sent.splice(0), buffer?.settle()]);
    await yieldToEventLoop();
    if (this.#batch.isStopping()) throw new EngineStopping();
  }

  #markChange(statement: Statement<unknown>): void {
    this.isDirty = true;
    this.#changeCount += 1;
    const { rareTable } = statementOf(statement);
    if (rareTable) this.#rareTables.add(rareTable);
  }

  /** Runs a statement whose result is not needed; waits for it unless the batch is pipelined. */
  async #send(statement: Statement<unknown>, work: (session: Session) => Promise<unknown>): Promise<void> {
    const { isPipelined, sent } = this.#batch;
    const result = this.#report(statement, work, { isAwaited: !isPipelined });
    if (isPipelined && !this.#isOver) sent.push(result.catch(() => {}));
    else await result;
  }

  /** Runs a statement; reports its error. */
  async #report<T>(
    statement: Statement<unknown>,
    work: (session: Session) => Promise<T>,
    { isAwaited = true } = {},
  ): Promise<T> {
    if (this.#isOver) throw new Error("the transaction is over: it awaits each of its statements");
    if (!statementOf(statement).isRead) this.#markChange(statement);
    try {
      return await work(this.#batch.session);
    } catch (error) {
      this.isDirty = true;
      if (this.#savepoint) this.#savepoint.hasFailed = true;
      else {
        this.#hasFailed ||= isAwaited;
        this.#onFailure(error, isAwaited);
      }
      throw error;
    }
  }
}
