import type { Transaction, Values } from "../../engine.ts";
import { EngineStopping } from "../../errors.ts";
import { yieldToEventLoop } from "../../event-loop.ts";
import type { Statement } from "../../statements.ts";
import type { Session } from "../connections/session.ts";
import { statementOf } from "../prepared.ts";
import { Attempts } from "./attempts.ts";
import type { BatchRun } from "./batch-run.ts";
import type { ChangedRows } from "./changed-rows.ts";
import type { LockedOrganization } from "./organization-locks.ts";
import { insertAll } from "./row-sets.ts";

type FirstRead = { statement: Statement<unknown>; values: Values; rows: Promise<unknown[]> };
export type WriteFailure = {
  error: unknown;
  /** Whether the write received the error of a statement. */
  isAwaited: boolean;
  /** The number of the attempt that failed, if the write can run again with a savepoint for it. */
  attempt: number | undefined;
};

/** The failure of a pipelined write that continued with the frequent result of a statement. */
const unexpectedResult = new Error("a statement had another result than expected");

/** One write of a batch, on the batch's connection. */
export class PostgresTransaction implements Transaction {
  readonly now: number;
  /** Whether a rollback is needed when the write fails: it may have changed rows. */
  isDirty = false;
  readonly #batch: BatchRun;
  readonly #onFailure: (failure: WriteFailure) => void;
  readonly #attempts: Attempts;
  /** The rare tables that may have rows of the organization, by earlier writes of the batch, too. */
  readonly #rareTables: Set<unknown>;
  /** A statement that was sent with the lock. */
  readonly #firstRead: FirstRead | undefined;
  /** By earlier writes of the batch, too. */
  readonly #changed: ChangedRows;
  #isOver = false;
  #changeCount = 0;

  /** `suspects`: see `Attempts`. `onFailure` is called when the batch has to run again, or without the write. */
  constructor(
    batch: BatchRun,
    { now, rareTables }: Pick<LockedOrganization, "now" | "rareTables">,
    {
      suspects,
      changed,
      onFailure,
      firstRead,
    }: {
      suspects: ReadonlySet<number>;
      changed: ChangedRows;
      onFailure: (failure: WriteFailure) => void;
      firstRead?: FirstRead | undefined;
    },
  ) {
    this.#batch = batch;
    this.now = now;
    this.#rareTables = rareTables;
    this.#onFailure = onFailure;
    this.#firstRead = firstRead;
    this.#changed = changed;
    this.#attempts = new Attempts(batch, suspects);
  }

  /** Called when the function of the transaction has ended: a statement that it did not await fails from now on. */
  end(): void {
    this.#isOver = true;
  }

  async first<R>(statement: Statement<R>, values: Values): Promise<R | undefined> {
    const { statement: read, values: input, rows } = this.#firstRead ?? {};
    const isFirst = read === statement && Bun.deepEquals(input, values);
    if (isFirst && !this.#changed.mayConcern(statement, values))
      // Safe: the rows of this statement.
      return this.#report(statement, async () => (await rows)?.[0] as R | undefined);
    this.#batch.buffer?.flushFor(statement, values);
    return this.#report(statement, (session) => session.first(statement, values));
  }

  async all<R>(statement: Statement<R>, values: Values): Promise<R[]> {
    this.#batch.buffer?.flushFor(statement);
    return this.#report(statement, (session) => session.all(statement, values));
  }

  async allRare<R>(statement: Statement<R>, values: Values): Promise<R[]> {
    const { rareTable } = statementOf(statement);
    return rareTable && !this.#rareTables.has(rareTable) ? [] : this.all(statement, values);
  }

  async findRare<R>(statement: Statement<R>, values: Values): Promise<R | undefined> {
    const { rareTable } = statementOf(statement);
    if (rareTable && !this.#rareTables.has(rareTable)) return undefined;
    if (!this.#batch.isPipelined) return this.first(statement, values);
    this.#batch.buffer?.flushFor(statement);
    this.#batch.hasExpectation = true;
    await this.#send(statement, async (session) => {
      if (await session.first(statement, values)) throw unexpectedResult;
    });
    return undefined;
  }

  async count(statement: Statement<unknown>, values: Values): Promise<number> {
    this.#batch.buffer?.flush();
    return this.#report(statement, (session) => session.count(statement, values));
  }

  async run(statement: Statement<unknown>, values: Values): Promise<void> {
    const { buffer } = this.#batch;
    const { insertPlan, changePlan } = statement;
    if (buffer && !this.#isOver && (insertPlan?.isPlain || changePlan)) {
      if (insertPlan) buffer.addInsert(statement, values);
      else buffer.addChange(statement, values);
      return this.#markChange(statement, values);
    }
    buffer?.flushForChange(statement);
    return this.#send(statement, (session) => session.count(statement, values));
  }

  async insert(statement: Statement<unknown>, values: Values): Promise<number> {
    const { insertPlan } = statement;
    if (!insertPlan) throw new Error(`not an insert of values: ${statement.name}`);
    const { buffer, ids } = this.#batch;
    const id = await this.#report(statement, () => ids.next(insertPlan.table));
    if (buffer && !this.#isOver) {
      const attempt = this.#attempts.current;
      const onConflict = () => this.#onFailure({ error: unexpectedResult, isAwaited: false, attempt });
      buffer.addInsert(statement, values, { id, onConflict });
      this.#markChange(statement);
    } else await this.#send(statement, (session) => session.insert(statement, values, id));
    return id;
  }

  async insertAll(statement: Statement<unknown>, rows: readonly Values[]): Promise<boolean[]> {
    this.#batch.buffer?.flushForChange(statement);
    const work = (session: Session) => insertAll(session, statement, rows);
    if (statement.insertPlan?.ignoredKey.length) return this.#report(statement, work);
    await this.#send(statement, work);
    return rows.map(() => true);
  }

  attempt<T>(work: () => Promise<T>): Promise<T> {
    return this.#attempts.run(work, {
      changeCount: () => this.#changeCount,
      onFailure: (error) => this.#fail(error),
    });
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
    await sent.settleEarlier();
    await yieldToEventLoop();
    if (this.#batch.isStopping()) throw new EngineStopping();
  }

  #fail(error: unknown): void {
    this.#onFailure({ error, isAwaited: false, attempt: this.#attempts.current });
  }

  #markChange(statement: Statement<unknown>, values?: Values): void {
    this.isDirty = true;
    this.#changed.add(statement, values);
    this.#changeCount += 1;
    const { rareTable } = statementOf(statement);
    if (rareTable) this.#rareTables.add(rareTable);
  }

  /** Runs a statement whose result is not needed; waits for it unless the batch is pipelined. */
  async #send(statement: Statement<unknown>, work: (session: Session) => Promise<unknown>): Promise<void> {
    const { isPipelined, sent } = this.#batch;
    const result = this.#report(statement, work, { isAwaited: !isPipelined });
    if (isPipelined && !this.#isOver) sent.add(result);
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
    const attempt = this.#attempts.current;
    try {
      return await work(this.#batch.session);
    } catch (error) {
      this.isDirty = true;
      if (!this.#attempts.handlesFailure()) this.#onFailure({ error, isAwaited, attempt });
      throw error;
    }
  }
}
