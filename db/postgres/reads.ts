import type { AccountMatches, AccountSearch, Snapshot, Value, Values } from "../engine.ts";
import { EngineBusy, EngineStopping } from "../errors.ts";
import { FairQueue } from "../fair-queue.ts";
import type { Statement } from "../statements.ts";
import { searchAccounts } from "./search.ts";
import type { Session } from "./session.ts";

const maxQueueLength = 10_000;

type ReadRequest = {
  organizationId: number;
  resolve: (session: Session) => void;
  reject: (error: unknown) => void;
};

/** Consistent reads: each is one REPEATABLE READ transaction. They wait for a connection by organization in turn. */
export class Reads {
  readonly #idle: Session[];
  readonly #sessions: readonly Session[];
  readonly #now: () => number;
  readonly #waiting = new FairQueue<ReadRequest>({ maxLength: maxQueueLength });
  #isClosed = false;

  constructor(sessions: readonly Session[], now: () => number) {
    this.#sessions = sessions;
    this.#idle = [...sessions];
    this.#now = now;
  }

  /** Runs `fn` on one consistent snapshot. Throws what `fn` throws, EngineBusy and QueryTimeout. */
  async read<T>(fn: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const snapshot = new LazySnapshot(this.#now(), (organizationId) => this.#connect(organizationId));
    try {
      return await fn(snapshot);
    } finally {
      snapshot.end().then((session) => session && this.#release(session));
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const read of this.#waiting.take(maxQueueLength)) read.reject(new EngineStopping());
    for (const session of this.#sessions) session.discard();
  }

  /** Resolves with an open connection. Without one, the waiting reads would wait for the same timeout again. */
  async #connect(organizationId: number): Promise<Session> {
    const session = await this.#acquire(organizationId);
    try {
      await session.connect();
      return session;
    } catch (error) {
      for (const read of this.#waiting.take(maxQueueLength)) read.reject(error);
      this.#release(session);
      throw error;
    }
  }

  #acquire(organizationId: number): Promise<Session> {
    if (this.#isClosed) return Promise.reject(new EngineStopping());
    const session = this.#idle.pop();
    if (session) return Promise.resolve(session);
    return new Promise((resolve, reject) => {
      const displaced = this.#waiting.push({ organizationId, resolve, reject });
      displaced?.reject(new EngineBusy("Too many reads are waiting."));
    });
  }

  #release(session: Session): void {
    const [next] = this.#waiting.take(1);
    if (next) next.resolve(session);
    else this.#idle.push(session);
  }
}

/** A snapshot that takes its connection when the first statement names the organization. */
class LazySnapshot implements Snapshot {
  readonly now: number;
  readonly #connect: (organizationId: number) => Promise<Session>;
  #session: Promise<Session> | undefined;
  #isOver = false;

  constructor(now: number, connect: (organizationId: number) => Promise<Session>) {
    this.now = now;
    this.#connect = connect;
  }

  async first<R>(statement: Statement<R>, values: Values): Promise<R | undefined> {
    return (await this.#open(values)).first(statement, values);
  }

  async all<R>(statement: Statement<R>, values: Values): Promise<R[]> {
    return (await this.#open(values)).all(statement, values);
  }

  async searchAccounts(search: AccountSearch): Promise<AccountMatches | undefined> {
    return searchAccounts(await this.#open(search), search);
  }

  /** Ends the transaction; resolves with its connection, if it has one. */
  async end(): Promise<Session | undefined> {
    this.#isOver = true;
    const session = await this.#session?.catch(() => undefined);
    // It only read. When this fails, the connection is closed, which ends the transaction, too.
    if (session?.isOpen) await session.command((sql) => sql`commit`).catch(() => session.discard());
    return session;
  }

  #open({ organizationId }: { readonly organizationId?: Value }): Promise<Session> {
    if (this.#isOver) throw new Error("the snapshot has ended: a read awaits nothing but its own statements");
    this.#session ??= this.#begin(Number(organizationId ?? 0));
    return this.#session;
  }

  /** Does not wait for the reply to BEGIN: it arrives with that to the first statement. */
  async #begin(organizationId: number): Promise<Session> {
    const session = await this.#connect(organizationId);
    session.begin("read only").catch(() => session.discard());
    return session;
  }
}
