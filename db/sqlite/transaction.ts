import type { AccountMatches, Transaction, Values } from "../engine.ts";
import { EngineStopping } from "../errors.ts";
import { yieldToEventLoop } from "../event-loop.ts";
import type { Statement } from "../statements.ts";
import type { Connection } from "./connection.ts";

export type ChangedAccount = { organizationId: number; accountId: number };

/** One write of a batch, on the batch's connection. */
export class SqliteTransaction implements Transaction {
  readonly now: number;
  /** Marked as stale in the index of account names after the commit. */
  readonly changedAccounts: ChangedAccount[] = [];
  readonly #connection: Connection;
  readonly #isStopping: () => boolean;
  #isOver = false;

  constructor(connection: Connection, now: number, isStopping: () => boolean) {
    this.#connection = connection;
    this.now = now;
    this.#isStopping = isStopping;
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

  async run(statement: Statement<unknown>, values: Values): Promise<number> {
    return this.#open().run(statement, values);
  }

  async insert(statement: Statement<unknown>, values: Values): Promise<number> {
    return this.#open().insert(statement, values);
  }

  async pause(): Promise<void> {
    await yieldToEventLoop();
    if (this.#isStopping()) throw new EngineStopping();
  }

  /** The index does not contain uncommitted changes, so a transaction searches the table. */
  async searchAccounts(): Promise<AccountMatches | undefined> {
    return undefined;
  }

  markAccountChanged(organizationId: number, accountId: number): void {
    this.changedAccounts.push({ organizationId, accountId });
  }

  /** Another write of the batch, or none, has the connection when this one is over. */
  #open(): Connection {
    if (this.#isOver) throw new Error("the transaction is over: it awaits each of its statements");
    return this.#connection;
  }
}
