import type { EngineState, ReadHints, Snapshot, Value, Values } from "../engine.ts";
import { EngineBusy, EngineStopping, QueryTimeout } from "../errors.ts";
import { FairQueue } from "../fair-queue.ts";
import type { Statement } from "../statements.ts";
import type { Session } from "./connections/session.ts";
import { isTransactionTimeout } from "./errors.ts";

/** After a failure that took this long, the waiting reads are rejected, too. */
const slowFailureMilliseconds = 1_000;

type ReadRequest = {
  organizationId: number;
  resolve: (session: Session) => void;
  reject: (error: unknown) => void;
};
type UsedSession = { session: Session; organizationId: number };

/**
 * Consistent reads: each is one REPEATABLE READ transaction, or one statement. Waiting reads get a connection by
 * organization in turn. An organization has at most three quarters of the connections, so that its slow reads leave
 * some to others.
 */
export class Reads {
  readonly #idle: Session[];
  readonly #sessions: readonly Session[];
  readonly #now: () => number;
  readonly #waiting = new FairQueue<ReadRequest>();
  readonly #maxOfOrganization: number;
  /** The number of connections of each organization that has any. */
  readonly #used = new Map<number, number>();
  #isClosed = false;
  #onIdle: (() => void) | undefined;

  constructor(sessions: readonly Session[], now: () => number) {
    this.#sessions = sessions;
    this.#idle = [...sessions];
    this.#maxOfOrganization = Math.ceil(sessions.length * 0.75);
    this.#now = now;
  }

  /** Runs `fn` on one consistent snapshot. Throws what `fn` throws, EngineBusy and QueryTimeout. */
  async read<T>(fn: (snapshot: Snapshot) => Promise<T>, options: ReadHints = {}): Promise<T> {
    const startedAt = performance.now();
    const connect = (organizationId: number) => this.#connect(organizationId);
    const snapshot = new LazySnapshot(this.#now(), connect, options);
    try {
      return await fn(snapshot);
    } catch (error) {
      if (isTransactionTimeout(error)) throw new QueryTimeout("The read took too long.", { cause: error });
      const isSlow = performance.now() - startedAt > slowFailureMilliseconds;
      if (error instanceof EngineBusy && snapshot.isConnected && isSlow) this.#rejectWaiting(error);
      throw error;
    } finally {
      snapshot.end().then((used) => used && this.#release(used));
    }
  }

  state(): NonNullable<EngineState["connections"]> {
    const totalCount = this.#sessions.length;
    return { totalCount, busyCount: totalCount - this.#idle.length, waitingCount: this.#waiting.length };
  }

  /** Rejects waiting reads, waits for running ones for at most `maxMilliseconds`, and closes the connections. */
  async close(maxMilliseconds: number): Promise<void> {
    this.#isClosed = true;
    this.#rejectWaiting(new EngineStopping());
    const { promise, resolve } = Promise.withResolvers<void>();
    const deadline = setTimeout(resolve, maxMilliseconds);
    this.#onIdle = resolve;
    if (this.#idle.length < this.#sessions.length) await promise;
    clearTimeout(deadline);
    for (const session of this.#sessions) session.discard();
  }

  /** Resolves with an open connection. Without one, the waiting reads would wait for the same timeout again. */
  async #connect(organizationId: number): Promise<Session> {
    const session = await this.#acquire(organizationId);
    try {
      await session.connect();
      return session;
    } catch (error) {
      this.#rejectWaiting(error);
      this.#release({ session, organizationId });
      throw error;
    }
  }

  #rejectWaiting(error: unknown): void {
    for (const read of this.#waiting.take()) read.reject(error);
  }

  #acquire(organizationId: number): Promise<Session> {
    if (this.#isClosed) return Promise.reject(new EngineStopping());
    const session = this.#hasRoom(organizationId) ? this.#idle.pop() : undefined;
    if (session) {
      this.#count(organizationId, 1);
      return Promise.resolve(session);
    }
    return new Promise((resolve, reject) => {
      const displaced = this.#waiting.push({ organizationId, resolve, reject });
      displaced?.reject(new EngineBusy("Too many reads are waiting."));
    });
  }

  #release({ session, organizationId }: UsedSession): void {
    this.#count(organizationId, -1);
    const next = this.#waiting.takeNext(({ organizationId: id }) => this.#hasRoom(id));
    if (next) {
      this.#count(next.organizationId, 1);
      next.resolve(session);
    } else this.#idle.push(session);
    if (this.#idle.length === this.#sessions.length) this.#onIdle?.();
  }

  #hasRoom(organizationId: number): boolean {
    return (this.#used.get(organizationId) ?? 0) < this.#maxOfOrganization;
  }

  #count(organizationId: number, change: number): void {
    const count = (this.#used.get(organizationId) ?? 0) + change;
    if (count > 0) this.#used.set(organizationId, count);
    else this.#used.delete(organizationId);
  }
}

/** A snapshot that gets its connection at its first statement, whose values have the organization. */
class LazySnapshot implements Snapshot {
  readonly now: number;
  isConnected = false;
  readonly #connect: (organizationId: number) => Promise<Session>;
  readonly #isOneStatement: boolean;
  #hasTransaction = false;
  #session: Promise<Session> | undefined;
  #organizationId = 0;
  #isOver = false;

  constructor(
    now: number,
    connect: (organizationId: number) => Promise<Session>,
    { isOneStatement = false }: ReadHints,
  ) {
    this.now = now;
    this.#connect = connect;
    this.#isOneStatement = isOneStatement;
  }

  async first<R>(statement: Statement<R>, values: Values): Promise<R | undefined> {
    return (await this.#open(values)).first(statement, values);
  }

  async all<R>(statement: Statement<R>, values: Values): Promise<R[]> {
    return (await this.#open(values)).all(statement, values);
  }

  /**
   * Ends the transaction; resolves with its connection, if it has one. The next read of the connection need not wait
   * for the reply.
   */
  async end(): Promise<UsedSession | undefined> {
    this.#isOver = true;
    const session = await this.#session?.catch(() => undefined);
    // It only read. When this fails, the connection is closed, which ends the transaction, too.
    if (session?.isOpen && this.#hasTransaction)
      await session.command((sql) => sql`commit`).catch(() => session.discard());
    return session && { session, organizationId: this.#organizationId };
  }

  #open({ organizationId }: { readonly organizationId?: Value }): Promise<Session> {
    if (this.#isOver) throw new Error("the snapshot has ended: a read awaits nothing but its own statements");
    if (this.#session && this.#isOneStatement) throw new Error("a read of one statement has a second one");
    this.#session ??= this.#begin(Number(organizationId ?? 0));
    return this.#session;
  }

  /** Does not wait for the reply to BEGIN: it arrives with that to the first statement. */
  async #begin(organizationId: number): Promise<Session> {
    this.#organizationId = organizationId;
    const session = await this.#connect(organizationId);
    this.isConnected = true;
    // Through a pooler, the limits of a statement belong to its transaction.
    this.#hasTransaction = !this.#isOneStatement || !session.hasSessionSettings;
    if (this.#hasTransaction) session.begin("read only").catch(() => session.discard());
    return session;
  }
}
