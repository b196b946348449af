import type { AccountMatches, Transaction, Values } from "../engine.ts";
import { EngineStopping } from "../errors.ts";
import { yieldToEventLoop } from "../event-loop.ts";
import type { Statement } from "../statements.ts";
import { statementOf } from "./prepared.ts";
import type { Session } from "./session.ts";

/** One write of a batch, on the batch's connection. */
export class PostgresTransaction implements Transaction {
  readonly now: number;
  /** Whether a rollback is needed when the write fails: it may have changed rows. */
  isDirty = false;
  readonly #session: Session;
  readonly #isStopping: () => boolean;
  readonly #onFailure: (error: unknown) => void;
  #isOver = false;

  /** `onFailure` is called with the error of a statement: PostgreSQL runs no further one of the batch. */
  constructor(
    session: Session,
    now: number,
    { isStopping, onFailure }: { isStopping: () => boolean; onFailure: (error: unknown) => void },
  ) {
    this.#session = session;
    this.now = now;
    this.#isStopping = isStopping;
    this.#onFailure = onFailure;
  }

  /** Called when the function of the transaction has ended: a statement that it did not await fails from now on. */
  end(): void {
    this.#isOver = true;
  }

  first<R>(statement: Statement<R>, values: Values): Promise<R | undefined> {
    return this.#run(statement, (session) => session.first(statement, values));
  }

  all<R>(statement: Statement<R>, values: Values): Promise<R[]> {
    return this.#run(statement, (session) => session.all(statement, values));
  }

  run(statement: Statement<unknown>, values: Values): Promise<number> {
    return this.#run(statement, (session) => session.run(statement, values));
  }

  insert(statement: Statement<unknown>, values: Values): Promise<number> {
    return this.#run(statement, (session) => session.insert(statement, values));
  }

  async pause(): Promise<void> {
    await yieldToEventLoop();
    if (this.#isStopping()) throw new EngineStopping();
  }

  /** PostgreSQL has no index in memory: the table is searched. */
  async searchAccounts(): Promise<AccountMatches | undefined> {
    return undefined;
  }

  markAccountChanged(): void {}

  async #run<T>(statement: Statement<unknown>, work: (session: Session) => Promise<T>): Promise<T> {
    if (this.#isOver) throw new Error("the transaction is over: it awaits each of its statements");
    if (!statementOf(statement).isRead) this.isDirty = true;
    try {
      return await work(this.#session);
    } catch (error) {
      this.isDirty = true;
      this.#onFailure(error);
      throw error;
    }
  }
}
