import type { EngineState, ReadHints, ReadPlace, Snapshot, Value, Values } from "../engine.ts";
import { EngineBusy, EngineStopping, QueryTimeout, TooManyReads } from "../errors.ts";
import { FairQueue, maxSlowPerOrganization } from "../fair-queue.ts";
import { OrganizationCounts } from "../organization-counts.ts";
import type { Statement } from "../statements.ts";
import type { Session } from "./connections/session.ts";
import { isTransactionTimeout, slowFailureMilliseconds } from "./errors.ts";

/** Whose connections are counted together. */
type ReadOwner = { organizationId: number; place: ReadPlace };
type ReadRequest = ReadOwner & {
  resolve: (session: Session) => void;
  reject: (error: unknown) => void;
};
type UsedSession = ReadOwner & { session: Session };

/**
 * Consistent reads: each is one REPEATABLE READ transaction, or one statement. Waiting reads get a connection by
 * organization in turn. An organization has at most two of eight connections for reads of many rows, and three for others:
 * rows that arrive at once are in memory at once.
 */
export class Reads {
  readonly #idle: Session[];
  readonly #sessions: readonly Session[];
  readonly #now: () => number;
  readonly #waiting = {
    serving: new FairQueue<ReadRequest>(),
    reader: new FairQueue<ReadRequest>({ maxLengthPerOrganization: maxSlowPerOrganization }),
  };
  /** The most connections of an organization. */
  readonly #max: Record<ReadPlace, number>;
  /** The number of connections of each organization that has any. */
  readonly #used = { serving: new OrganizationCounts(), reader: new OrganizationCounts() };
  #isClosed = false;
  #onIdle: (() => void) | undefined;

  constructor(sessions: readonly Session[], now: () => number) {
    this.#sessions = sessions;
    this.#idle = [...sessions];
    this.#max = { serving: Math.ceil(sessions.length * 0.375), reader: Math.ceil(sessions.length / 4) };
    this.#now = now;
  }

  /** Runs `fn` on one consistent snapshot. Throws what `fn` throws, EngineBusy and QueryTimeout. */
  async read<T>(fn: (snapshot: Snapshot) => Promise<T>, options: ReadHints = {}): Promise<T> {
    const startedAt = performance.now();
    const { place = "serving" } = options;
    const connect = (organizationId: number) => this.#connect({ organizationId, place });
    const snapshot = new LazySnapshot(this.#now(), connect, options);
    try {
      return await fn(snapshot);
    } catch (error) {
      if (isTransactionTimeout(error)) throw new QueryTimeout("The read took too long.", { cause: error });
      const isSlow = performance.now() - startedAt > slowFailureMilliseconds;
      if (error instanceof EngineBusy && snapshot.isConnected && isSlow) this.#rejectWaiting(error);
      throw error;
    } finally {
      snapshot.end().then((used) => used && this.#release({ ...used, place }));
    }
  }

  state(): NonNullable<EngineState["connections"]> {
    const totalCount = this.#sessions.length;
    const { serving, reader } = this.#waiting;
    const waitingCount = serving.length + reader.length;
    return { totalCount, busyCount: totalCount - this.#idle.length, waitingCount };
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
  async #connect(owner: ReadOwner): Promise<Session> {
    const session = await this.#acquire(owner);
    try {
      await session.connect();
      return session;
    } catch (error) {
      this.#rejectWaiting(error);
      this.#release({ ...owner, session });
      throw error;
    }
  }

  #rejectWaiting(error: unknown): void {
    for (const queue of Object.values(this.#waiting)) for (const read of queue.take()) read.reject(error);
  }

  #acquire(owner: ReadOwner): Promise<Session> {
    if (this.#isClosed) return Promise.reject(new EngineStopping());
    const session = this.#hasRoom(owner) ? this.#idle.pop() : undefined;
    if (session) {
      this.#used[owner.place].add(owner.organizationId, 1);
      return Promise.resolve(session);
    }
    return new Promise((resolve, reject) => {
      const displaced = this.#waiting[owner.place].push({ ...owner, resolve, reject });
      const CausedError = owner.place === "reader" ? TooManyReads : EngineBusy;
      displaced?.reject(new CausedError("Too many reads are waiting."));
    });
  }

  #release(used: UsedSession): void {
    this.#used[used.place].add(used.organizationId, -1);
    const next = this.#takeNext(used.place) ?? this.#takeNext(used.place === "reader" ? "serving" : "reader");
    if (next) {
      this.#used[next.place].add(next.organizationId, 1);
      next.resolve(used.session);
    } else this.#idle.push(used.session);
    if (this.#idle.length === this.#sessions.length) this.#onIdle?.();
  }

  #takeNext(place: ReadPlace): ReadRequest | undefined {
    return this.#waiting[place].takeNext((owner) => this.#hasRoom(owner));
  }

  #hasRoom({ organizationId, place }: ReadOwner): boolean {
    return this.#used[place].of(organizationId) < this.#max[place];
  }
}

/** A snapshot that gets its connection at its first statement, whose values have the organization. */
class LazySnapshot implements Snapshot {
  readonly isRemote = true;
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
  async end(): Promise<Omit<UsedSession, "place"> | undefined> {
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
