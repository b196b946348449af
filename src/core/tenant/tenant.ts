import type { Engine, ReadHints, Snapshot, Transaction, Values, WriteOptions } from "../../../db/engine.ts";
import { isForeignKeyViolation } from "../../../db/errors.ts";
import { type AnyChange, insertChange, type ResourceChange } from "../changes/changes.ts";
import { asProblem, type Problem } from "../errors.ts";
import { type FileErasure, runErasure } from "../file-erasure.ts";
import { cursorKeyOf } from "../secrets.ts";
import { type Authorization, assertValid, isOutdated } from "./authorization.ts";
import type { Caller } from "./caller.ts";
import { CombinedWrites } from "./combined-writes.ts";
import type { TenantStatement, TenantWriter } from "./statements.ts";

/** Reads the rows of one organization, whose id is bound in every statement. */
export class TenantSnapshot {
  readonly organizationId: number;
  /** The key of cursors, in `Tenant.readList` of a request with a cursor. */
  readonly cursorKey: string | undefined;
  readonly #snapshot: Snapshot;

  constructor(snapshot: Snapshot, organizationId: number, cursorKey?: string) {
    this.#snapshot = snapshot;
    this.organizationId = organizationId;
    this.cursorKey = cursorKey;
  }

  /** Milliseconds since 1970 UTC, fixed for the snapshot. */
  get now(): number {
    return this.#snapshot.now;
  }

  first<R>({ statement }: TenantStatement<R>, values: Values): Promise<R | undefined> {
    return this.#snapshot.first(statement, { ...values, organizationId: this.organizationId });
  }

  all<R>({ statement }: TenantStatement<R>, values: Values): Promise<R[]> {
    return this.#snapshot.all(statement, { ...values, organizationId: this.organizationId });
  }
}

/** Reads and changes the rows of one organization in a transaction. */
export class TenantTransaction extends TenantSnapshot implements TenantWriter {
  readonly caller: Caller;
  /** `retentionTime` and `receiptTime` of the clock when the transaction began. */
  readonly retentionTime: number;
  readonly receiptTime: number;
  readonly #tx: Transaction;
  readonly #reactions: readonly Reaction[];
  readonly combined = new CombinedWrites<TenantTransaction>();

  constructor(tx: Transaction, caller: Caller, reactions: readonly Reaction[], clock?: Engine["clock"]) {
    super(tx, caller.organizationId);
    this.retentionTime = Math.min(tx.now, clock?.retentionTime() ?? tx.now);
    this.receiptTime = Math.min(tx.now, clock?.receiptTime() ?? tx.now);
    this.#tx = tx;
    this.caller = caller;
    this.#reactions = reactions;
  }

  /** Runs `fn`, then makes the combined changes. */
  complete<T>(fn: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.combined.complete(this, fn);
  }

  /** The first row, as `Transaction.findRare`. */
  findRare<R>({ statement }: TenantStatement<R>, values: Values): Promise<R | undefined> {
    return this.#tx.findRare(statement, { ...values, organizationId: this.organizationId });
  }

  /** Runs a statement, as `Transaction.run`. */
  run({ statement }: TenantStatement<unknown>, values: Values): Promise<void> {
    return this.#tx.run(statement, { ...values, organizationId: this.organizationId });
  }

  /** Runs `update`, and `insert` when it changed no row, as `Transaction.run`. */
  updateOrInsert(
    update: TenantStatement<unknown>,
    insert: TenantStatement<unknown>,
    values: Values,
  ): Promise<void> {
    const bound = { ...values, organizationId: this.organizationId };
    return this.#tx.updateOrInsert(update.statement, insert.statement, bound);
  }

  /** Runs a statement; resolves with the number of rows that it inserted, changed or deleted. */
  count({ statement }: TenantStatement<unknown>, values: Values): Promise<number> {
    return this.#tx.count(statement, { ...values, organizationId: this.organizationId });
  }

  /** Inserts rows; resolves with whether each was inserted, as `Transaction.insertAll`. */
  insertAll({ statement }: TenantStatement<unknown>, rows: readonly Values[]): Promise<boolean[]> {
    const { organizationId } = this;
    const bound = rows.map((values) => ({ ...values, organizationId }));
    return this.#tx.insertAll(statement, bound);
  }

  /**
   * Runs a part of the transaction, as `Transaction.attempt`. Resolves with the problem that `work` throws, after its
   * changes are undone. Throws other errors.
   */
  attempt<T>(work: () => Promise<T>): Promise<T | Problem> {
    return this.combined.attempt((run) => this.#tx.attempt(run), work).catch(asProblem);
  }

  /** The number after that of the organization's last change. */
  nextSequence(): Promise<number> {
    return this.#tx.nextSequence(this.organizationId);
  }

  /** Inserts a row; resolves with its id. As `Transaction.run`. */
  insert({ statement }: TenantStatement<unknown>, values: Values): Promise<number> {
    return this.#tx.insert(statement, { ...values, organizationId: this.organizationId });
  }

  /** Lets reads run during a long change. Throws EngineStopping when the server is stopping. */
  pause(): Promise<void> {
    return this.#tx.pause();
  }

  /** Appends a change to the organization's change log. */
  record(change: AnyChange): Promise<void> {
    return insertChange(this, change);
  }

  /** Records a change of a resource and runs its reactions. Every insert, update and delete of a resource calls it. */
  async changed(change: ResourceChange): Promise<void> {
    await this.record(change);
    for (const reaction of this.#reactions) {
      if (reaction.resource !== change.resource) continue;
      const reacting = reaction.react(this, change);
      // Awaiting undefined costs a microtask for each reaction, and most changes concern few reactions.
      if (reacting) await reacting;
    }
  }
}

/** What follows from a change of a resource, in the same transaction. The list is `src/reactions.ts`. */
export type Reaction = {
  name: string;
  resource: ResourceChange["resource"];
  /** Returns undefined when the change does not concern it. */
  react(tx: TenantTransaction, change: ResourceChange): Promise<void> | undefined;
};

/** The services that all tenants share. */
export type TenantServices = {
  engine: Engine;
  reactions: readonly Reaction[];
  /** Runs a job for an organization now. Resolves when it is done, or after a time limit. Never rejects. */
  runJob(organizationId: number, job: JobName): Promise<void>;
};
/** The jobs that a request can start, to show their results. */
export type JobName = "scores" | "pending events";

/** One organization and one caller. The only access to the rows of an organization. */
export class Tenant {
  readonly caller: Caller;
  readonly organizationId: number;
  /** The signal of the HTTP request, which is aborted when its client disconnects. Set by the guard. */
  signal: (() => AbortSignal) | undefined;
  readonly #services: TenantServices;
  readonly #authorization: Authorization | undefined;

  /** `authorization` is absent for callers without a key. */
  constructor(services: TenantServices, caller: Caller, authorization?: Authorization) {
    this.#services = services;
    this.caller = caller;
    this.organizationId = caller.organizationId;
    this.#authorization = authorization;
  }

  /** Milliseconds since 1970 UTC, for checks of input before a transaction. */
  get now(): number {
    return this.#services.engine.now();
  }

  /** The time that decides what is too old, in milliseconds since 1970 UTC: it ignores a jump of the clock for 24 h. */
  get retentionTime(): number {
    return this.#services.engine.clock.retentionTime();
  }

  /** Runs `fn` on one consistent snapshot. `fn` awaits nothing but its own statements. */
  read<T>(fn: (snapshot: TenantSnapshot) => Promise<T>, hints?: ReadHints, cursorKey?: string): Promise<T> {
    const begin = (snapshot: Snapshot) => fn(new TenantSnapshot(snapshot, this.organizationId, cursorKey));
    return this.#services.engine.read(begin, {
      signal: this.signal,
      ...hints,
      organizationId: this.organizationId,
    });
  }

  /** `read` for a page of a list, which can be requested with a cursor. `ownKey` is for cursors that no caller gets. */
  async readList<T>(
    { cursor, ownKey, place }: { cursor?: string | undefined; ownKey?: string } & ReadHints,
    fn: (snapshot: TenantSnapshot) => Promise<T>,
  ): Promise<T> {
    const cursorKey =
      cursor === undefined ? undefined : (ownKey ?? (await cursorKeyOf(this.#services.engine)));
    return this.read(fn, { place }, cursorKey);
  }

  /** `read` for one statement, which needs no transaction. */
  readOne<T>(fn: (snapshot: TenantSnapshot) => Promise<T>): Promise<T> {
    return this.read(fn, { isOneStatement: true });
  }

  /**
   * Runs `fn` in a transaction; resolves after the commit is durable. `fn` awaits nothing but its own statements and
   * pauses, has no other effects, and may run twice. Throws what `fn` throws, the engine's errors, and `unauthorized`
   * when the caller's key is not valid any more, a second after it was checked, or the organization was deleted.
   */
  async write<T>(fn: (tx: TenantTransaction) => Promise<T>, options?: WriteOptions): Promise<T> {
    const { engine, reactions } = this.#services;
    const authorization = this.#authorization;
    if (authorization && isOutdated(authorization, this.now)) await assertValid(authorization);
    const begin = (tx: Transaction) => new TenantTransaction(tx, this.caller, reactions, engine.clock);
    try {
      return await engine.write(this.organizationId, (tx) => begin(tx).complete(fn), options);
    } catch (error) {
      if (authorization && isForeignKeyViolation(error)) await assertValid(authorization);
      throw error;
    }
  }

  /** Runs a change of many transactions, as `core/long-changes.ts`, which erases what its rows left in the file. */
  runErasure<T>(run: (erasure: FileErasure) => Promise<T>): Promise<T> {
    return runErasure(this.#services.engine, this.organizationId, run);
  }

  /** Runs a job for this organization, so that a read shows its results. */
  runJob(job: JobName): Promise<void> {
    return this.#services.runJob(this.organizationId, job);
  }
}
