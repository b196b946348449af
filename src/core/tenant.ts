import type {
  AccountMatches,
  AccountSearch,
  Engine,
  Snapshot,
  Transaction,
  Values,
} from "../../db/engine.ts";
import type { Caller } from "./caller.ts";
import { type AnyChange, insertChange, type ResourceChange, type ResourceType } from "./changes.ts";
import type { TenantStatement, TenantWriter } from "./tenant-statements.ts";

/** Reads one organization's rows. The organization is bound to every statement. */
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

  /** Searches the index of account names; undefined when there is none at the moment. */
  searchAccounts(search: Omit<AccountSearch, "organizationId">): Promise<AccountMatches | undefined> {
    return this.#snapshot.searchAccounts({ ...search, organizationId: this.organizationId });
  }
}

/** Reads and changes one organization's rows in a transaction. */
export class TenantTransaction extends TenantSnapshot implements TenantWriter {
  readonly caller: Caller;
  readonly #tx: Transaction;
  readonly #reactions: readonly Reaction[];

  constructor(tx: Transaction, caller: Caller, reactions: readonly Reaction[]) {
    super(tx, caller.organizationId);
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

  /** Lets reads run during a long change. Throws EngineBusy when the service is stopping. */
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
      // Most changes concern few reactions: the others cost no turn of the promise queue.
      if (reacting) await reacting;
    }
  }

  /** Tells the index of account names about a created, changed or deleted account. */
  markAccountChanged(accountId: number): void {
    this.#tx.markAccountChanged(this.organizationId, accountId);
  }
}

/** What follows from a change of a resource, in the same transaction. The list is `src/reactions.ts`. */
export type Reaction = {
  name: string;
  resource: ResourceType;
  /** Returns nothing when the change does not concern it. */
  react(tx: TenantTransaction, change: ResourceChange): Promise<void> | undefined;
};

/** What tenants share. */
export type TenantServices = {
  engine: Engine;
  reactions: readonly Reaction[];
  /** Runs a job for an organization now; resolves when it is done or has taken too long. Never throws. */
  runJob(organizationId: number, job: JobName): Promise<void>;
};
/** The jobs whose results a request shows. */
export type JobName = "scores" | "pending events";

/** One organization and one caller: the only way to the organization's rows. */
export class Tenant {
  readonly caller: Caller;
  readonly #services: TenantServices;

  constructor(services: TenantServices, caller: Caller) {
    this.#services = services;
    this.caller = caller;
  }

  get organizationId(): number {
    return this.caller.organizationId;
  }

  /** Milliseconds since 1970 UTC: for checks of input before a transaction begins. */
  get now(): number {
    return this.#services.engine.now();
  }

  /** Runs `fn` on one consistent snapshot. `fn` awaits nothing but its own statements. */
  read<T>(fn: (snapshot: TenantSnapshot) => Promise<T>): Promise<T> {
    return this.#services.engine.read((snapshot) => fn(new TenantSnapshot(snapshot, this.organizationId)));
  }

  /**
   * Runs `fn` in a transaction; resolves after the commit is durable. `fn` awaits nothing but its own statements and
   * pauses, has no other effects, and may run twice. Throws what `fn` throws, and the engine's errors.
   */
  write<T>(fn: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    const { engine, reactions } = this.#services;
    return engine.write(this.organizationId, (tx) => fn(new TenantTransaction(tx, this.caller, reactions)));
  }

  /** Lets a job catch up for this organization, so that a read shows its results. */
  runJob(job: JobName): Promise<void> {
    return this.#services.runJob(this.organizationId, job);
  }
}
