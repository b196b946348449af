import { desc, eq } from "drizzle-orm";
import type { Transaction, Values } from "../../engine.ts";
import { EngineStopping } from "../../errors.ts";
import { yieldToEventLoop } from "../../event-loop.ts";
import { integerInput } from "../../expressions.ts";
import { changes } from "../../schema.ts";
import { type Statement, select } from "../../statements.ts";
import type { Connection } from "../connection.ts";
import { rewritePage } from "../file.ts";

const lastChange = select("changes.lastInTransaction", {
  fields: { sequence: changes.sequence },
  from: changes,
  where: eq(changes.organizationId, integerInput("organizationId")),
  orderBy: [desc(changes.sequence)],
  paged: true,
});

/** What the writes of a batch share. */
export type OpenBatch = {
  connection: Connection;
  /** The number of the last change of each organization, from its first change in the batch on, until a rollback. */
  lastSequences: Map<number, number>;
  isStopping: () => boolean;
};

/** One write of a batch, on the batch's connection. */
export class SqliteTransaction implements Transaction {
  readonly now: number;
  readonly #batch: OpenBatch;
  readonly #hasSavepoints: boolean;
  /** Whether an attempt failed after a change: the write is rolled back, and runs again with `hasSavepoints`. */
  needsSavepoints = false;
  readonly #firstRun: number;
  #isOver = false;

  constructor(batch: OpenBatch, now: number, { hasSavepoints }: { hasSavepoints: boolean }) {
    this.#batch = batch;
    this.now = now;
    this.#hasSavepoints = hasSavepoints;
    this.#firstRun = batch.connection.runCount;
  }

  /** The number of statements that changed rows. */
  get statementCount(): number {
    return this.#batch.connection.runCount - this.#firstRun;
  }

  /** Called when the function of the transaction has ended: a statement that it did not await fails from now on. */
  end(): void {
    this.#isOver = true;
  }

  async first<R>(statement: Statement<R>, values: Values): Promise<R | undefined> {
    return this.#open().first(statement, values);
  }

  async all<R>(statement: Statement<R>, values: Values): Promise<R[]> {
    return this.#open().all(statement, values);
  }

  allRare<R>(statement: Statement<R>, values: Values): Promise<R[]> {
    return this.all(statement, values);
  }

  findRare<R>(statement: Statement<R>, values: Values): Promise<R | undefined> {
    return this.first(statement, values);
  }

  async run(statement: Statement<unknown>, values: Values): Promise<void> {
    this.#open().run(statement, values);
  }

  async count(statement: Statement<unknown>, values: Values): Promise<number> {
    return this.#open().run(statement, values).changes;
  }

  async insert(statement: Statement<unknown>, values: Values): Promise<number> {
    return Number(this.#open().run(statement, values).lastInsertRowid);
  }

  async insertAll(statement: Statement<unknown>, rows: readonly Values[]): Promise<boolean[]> {
    return rows.map((values) => this.#open().run(statement, values).changes > 0);
  }

  /**
   * Without a savepoint at first: the pages that change after each one are copied, and few attempts fail after a change. A
   * statement that fails changes nothing.
   */
  async attempt<T>(work: () => Promise<T>): Promise<T> {
    if (this.#hasSavepoints) return this.#attemptWithSavepoint(work);
    const before = this.statementCount;
    try {
      return await work();
    } catch (error) {
      if (this.statementCount > before) this.needsSavepoints = true;
      throw this.needsSavepoints ? new Error("the transaction runs again with savepoints") : error;
    }
  }

  async #attemptWithSavepoint<T>(work: () => Promise<T>): Promise<T> {
    const connection = this.#open();
    connection.execute("SAVEPOINT attempt");
    try {
      return await work();
    } catch (error) {
      // A full or failing disk ends the whole transaction.
      if (connection.client.inTransaction) connection.execute("ROLLBACK TO attempt");
      this.#batch.lastSequences.clear();
      throw error;
    } finally {
      if (connection.client.inTransaction) connection.execute("RELEASE attempt");
    }
  }

  async nextSequence(organizationId: number): Promise<number> {
    const { lastSequences } = this.#batch;
    const last =
      lastSequences.get(organizationId) ??
      this.#open().first(lastChange, { organizationId, limit: 1, offset: 0 })?.sequence ??
      0;
    lastSequences.set(organizationId, last + 1);
    return last + 1;
  }

  async pause(): Promise<void> {
    await yieldToEventLoop();
    if (this.#batch.isStopping()) throw new EngineStopping();
  }

  /** Changes no value, but a page, so that the commit writes. */
  rewritePage(): void {
    rewritePage(this.#open());
  }

  /** Another write of the batch, or none, has the connection when this one is over. */
  #open(): Connection {
    if (this.#isOver) throw new Error("the transaction is over: it awaits each of its statements");
    return this.#batch.connection;
  }
}
