import type {
  AccountMatches,
  AccountSearch,
  Engine,
  Snapshot,
  Transaction,
  Values,
  WriteOptions,
} from "../../db/engine.ts";
import { isForeignKeyViolation } from "../../db/errors.ts";
import type { Caller } from "./caller.ts";
import { type AnyChange, insertChange, type ResourceChange, type ResourceType } from "./changes.ts";
import { unauthorized } from "./errors.ts";
import type { TenantStatement, TenantWriter } from "./tenant-statements.ts";

/** Reads the rows of one organization, whose id is bound in every statement. */
export class TenantSnapshot {
  readonly organizationId: number;
  readonly #snapshot: Snapshot;

  constructor(snapshot: Snapshot, organizationId: number) {
    this.#snapshot = snapshot;
    this.organizationId = organizationId;
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

  /** Searches the index of account names. Undefined when there is none now. */
  searchAccounts(search: Omit<AccountSearch, "organizationId">): Promise<AccountMatches | undefined> {
    return this.#snapshot.searchAccounts({ ...search, organizationId: this.organizationId });
  }
}

/** Reads and changes the rows of one organization in a transaction. */
export class TenantTransaction extends TenantSnapshot implements TenantWriter {
  readonly caller: Caller;
  /** The time of `Tenant.retentionTime` when the transaction began. */
  readonly retentionTime: number;
  readonly #tx: Transaction;
  readonly #reactions: readonly Reaction[];

  constructor(
    tx: Transaction,
    caller: Caller,
    reactions: readonly Reaction[],
    retentionTime: number = tx.now,
  ) {
    super(tx, caller.organizationId);
    this.retentionTime = retentionTime;
    this.#tx = tx;
    this.caller = caller;
    this.#reactions = reactions;
  }

  /** Runs a statement; resolves with the number of rows that it inserted, changed or deleted. */
  run({ statement }: TenantStatement<unknown>, values: Values): Promise<number> {
    return this.#tx.run(statement, { ...values, organizationId: this.organizationId });
  }

  /** Inserts a row; resolves with its id. */
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

  /** Marks a created, changed or deleted account as stale in the index of account names, after the commit. */
  markAccountChanged(accountId: number): void {
    this.#tx.markAccountChanged(this.organizationId, accountId);
  }
}

/** What follows from a change of a resource, in the same transaction. The list is `src/reactions.ts`. */
export type Reaction = {
  name: string;
  resource: ResourceType;
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
  readonly #services: TenantServices;
  readonly #isAuthorized: () => Promise<boolean>;

  /** `isAuthorized` returns whether the caller's key is still valid. */
  constructor(services: TenantServices, caller: Caller, isAuthorized = async () => true) {
    this.#services = services;
    this.caller = caller;
    this.#isAuthorized = isAuthorized;
  }

  get organizationId(): number {
    return this.caller.organizationId;
  }

  /** Milliseconds since 1970 UTC, for checks of input before a transaction begins. */
  get now(): number {
    return this.#services.engine.now();
  }

  /** The time that decides what is too old, in milliseconds since 1970 UTC: it ignores a jump of the clock for 24 h. */
  get retentionTime(): number {
    return this.#services.engine.clock.retentionTime();
  }

  /** How often the clock was set back by more than an hour since the start. */
  get clockResetCount(): number {
    return this.#services.engine.clock.resetCount;
  }

  /** Runs `fn` on one consistent snapshot. `fn` awaits nothing but its own statements. */
  read<T>(fn: (snapshot: TenantSnapshot) => Promise<T>): Promise<T> {
    return this.#services.engine.read((snapshot) => fn(new TenantSnapshot(snapshot, this.organizationId)));
  }

  /**
   * Runs `fn` in a transaction; resolves after the commit is durable. `fn` awaits nothing but its own statements and
   * pauses, has no other effects, and may run twice. Throws what `fn` throws, the engine's errors, and `unauthorized`
   * when the organization was deleted after the caller's key was checked.
   */
  write<T>(fn: (tx: TenantTransaction) => Promise<T>, options?: WriteOptions): Promise<T> {
    const { engine, reactions } = this.#services;
    const run = (tx: Transaction) =>
      fn(new TenantTransaction(tx, this.caller, reactions, Math.min(tx.now, this.retentionTime)));
    return engine.write(this.organizationId, run, options).catch(async (error: unknown) => {
      throw isForeignKeyViolation(error) && !(await this.#isAuthorized()) ? unauthorized() : error;
    });
  }

  /** Runs a job for this organization, so that a read shows its results. */
  runJob(job: JobName): Promise<void> {
    return this.#services.runJob(this.organizationId, job);
  }
}
