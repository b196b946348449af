import type { Engine, Snapshot, Transaction, Values } from "../../../db/engine.ts";
import { Pauses } from "../../../db/event-loop.ts";
import { type AnyChange, insertChanges, type ResourceChange } from "../changes/changes.ts";
import { asProblem, type Problem } from "../errors.ts";
import { takeTurn } from "../turns.ts";
import type { Caller } from "./caller.ts";
import type { TenantStatement, TenantWriter } from "./statements.ts";
import { UndoableMap } from "./undoable-map.ts";
import { UniqueConflict } from "./unique-conflict.ts";

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

  /** The row of `keepRow`: null if the row does not exist, undefined if it is not kept. */
  readRow(_resource: string, _key: number | string): object | null | undefined {
    return undefined;
  }

  first<R>({ statement }: TenantStatement<R>, values: Values): Promise<R | undefined> {
    return this.#snapshot.first(statement, { ...values, organizationId: this.organizationId });
  }

  all<R>({ statement }: TenantStatement<R>, values: Values): Promise<R[]> {
    return this.#snapshot.all(statement, { ...values, organizationId: this.organizationId });
  }
}

/** A remote snapshot. Rows of several reads can arrive at once, so a read continues in a turn of its organization. */
export class SnapshotInTurns extends TenantSnapshot {
  override async all<R>(statement: TenantStatement<R>, values: Values): Promise<R[]> {
    const rows = await super.all(statement, values);
    await takeTurn(this.organizationId);
    return rows;
  }
}

/** Writes values under their keys. */
export type LateWrite<V> = (tx: TenantTransaction, values: ReadonlyMap<string, V>) => Promise<void>;
type LateValues = { values: UndoableMap<unknown>; write: LateWrite<unknown> };

/** Reads and changes the rows of one organization in a transaction. */
export class TenantTransaction extends TenantSnapshot implements TenantWriter {
  readonly caller: Caller;
  /** `retentionTime` and `receiptTime` of the clock when the transaction began. */
  readonly retentionTime: number;
  readonly receiptTime: number;
  readonly #tx: Transaction;
  readonly #reactions: readonly Reaction[];
  readonly #maps: UndoableMap<unknown>[] = [];
  readonly #late = new Map<string, LateValues>();
  /** The rows of `keepRow`, by resource and key, without those that were changed afterwards. */
  readonly #rows = this.createMap<object | null>();
  /** What features remember of the transaction, by name, such as stored rows that it has read. */
  readonly cache = this.createMap<unknown>();

  constructor(tx: Transaction, caller: Caller, reactions: readonly Reaction[], clock?: Engine["clock"]) {
    super(tx, caller.organizationId);
    this.retentionTime = Math.min(tx.now, clock?.retentionTime() ?? tx.now);
    this.receiptTime = Math.min(tx.now, clock?.receiptTime() ?? tx.now);
    this.#tx = tx;
    this.caller = caller;
    this.#reactions = reactions;
  }

  /** A map whose changes by an attempt that fails are undone. */
  createMap<V>(entries?: Iterable<readonly [key: string, value: V]>): UndoableMap<V> {
    const map = new UndoableMap(entries);
    this.#maps.push(map);
    return map;
  }

  /** Reads what the transaction has not read yet under these names. Returns a function that returns what has a name. */
  async readOnce<V>(
    kind: string,
    names: readonly string[],
    read: (unread: readonly string[]) => Promise<ReadonlyMap<string, V>>,
  ): Promise<(name: string) => V | undefined> {
    const keyOf = (name: string) => `${kind} ${name}`;
    const unread = names.filter((name) => this.cache.get(keyOf(name)) === undefined);
    if (unread.length > 0) {
      const found = await read(unread);
      for (const name of unread) this.cache.set(keyOf(name), found.get(name) ?? null);
    }
    // Safe: what was read under this kind.
    return (name) => (this.cache.get(keyOf(name)) ?? undefined) as V | undefined;
  }

  override readRow(resource: string, key: number | string): object | null | undefined {
    return this.#rows.get(`${resource} ${typeof key} ${key}`);
  }

  /** Drops the rows of `keepRow`. */
  forgetRows(): void {
    this.#rows.take();
  }

  /** `row` is what `readRow` returns until the row is changed. */
  keepRow(resource: string, key: number | string, row: object | null): void {
    this.#rows.set(`${resource} ${typeof key} ${key}`, row);
  }

  /**
   * The values under a name that `write` gets together before the transaction ends, such as the counts of many new rows.
   * It may set values of other names.
   */
  lateValues<V>(name: string, write: LateWrite<V>): UndoableMap<V> {
    // Safe: the values of this name.
    const added = () => ({ values: this.createMap<V>(), write }) as unknown as LateValues;
    return this.#late.getOrInsertComputed(name, added).values as UndoableMap<V>;
  }

  /** Writes the late values of a name, or of all names. Reads run between them. */
  async writeLate(name?: string): Promise<void> {
    const pauses = new Pauses(this);
    const isDue = ([key, { values }]: [string, LateValues]) => values.size > 0 && (name ?? key) === key;
    for (let due = [...this.#late].find(isDue); due; due = [...this.#late].find(isDue)) {
      const [, { values, write }] = due;
      await write(this, values.take());
      await pauses.next();
    }
  }

  /** The first row, as `Transaction.findRare`. */
  findRare<R>({ statement }: TenantStatement<R>, values: Values): Promise<R | undefined> {
    return this.#tx.findRare(statement, { ...values, organizationId: this.organizationId });
  }

  /**
   * The rows with some keys in a table in which most organizations have no rows, as `Transaction.allRare`. A row with one
   * key is so rare that the transaction may run again if there is one, as `Transaction.findRare`.
   */
  async allRare<R>({ statement }: TenantStatement<R>, values: Values, keyCount: number): Promise<R[]> {
    const bound = { ...values, organizationId: this.organizationId };
    if (keyCount === 1 && !(await this.#tx.findRare(statement, bound))) return [];
    return this.#tx.allRare(statement, bound);
  }

  run({ statement }: TenantStatement<unknown>, values: Values): Promise<void> {
    return this.#tx.run(statement, { ...values, organizationId: this.organizationId });
  }

  /** Runs a statement; resolves with the number of rows that it inserted, changed or deleted. */
  count({ statement }: TenantStatement<unknown>, values: Values): Promise<number> {
    return this.#tx.count(statement, { ...values, organizationId: this.organizationId });
  }

  /** Inserts rows; resolves with whether each was inserted, as `Transaction.insertAll`. */
  async insertAll({ statement }: TenantStatement<unknown>, rows: readonly Values[]): Promise<boolean[]> {
    if (rows.length === 0) return [];
    const { organizationId } = this;
    const bound = rows.map((values) => ({ ...values, organizationId }));
    return this.#tx.insertAll(statement, bound);
  }

  /**
   * Runs a part of the transaction, as `Transaction.attempt`. Resolves with the problem that `work` throws, after its
   * changes are undone. Throws other errors.
   */
  async attempt<T>(work: () => Promise<T>): Promise<T | Problem> {
    for (const map of this.#maps) map.beginAttempt();
    const undo = () => {
      for (const map of this.#maps) map.undoAttempt();
    };
    let isFirst = true;
    const run = () => {
      if (!isFirst) undo();
      isFirst = false;
      return work();
    };
    try {
      return await this.#tx.attempt(run);
    } catch (error) {
      undo();
      const problem = asProblem(error);
      return problem instanceof UniqueConflict ? problem.find(this) : problem;
    }
  }

  /** The sequence number after the organization's last change. */
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

  /** Appends changes to the organization's change log. */
  record(changes: readonly AnyChange[]): Promise<void> {
    return insertChanges(this, changes);
  }

  /** Records a change of a row and runs its reactions. Every insert, update and delete of a row calls it. */
  async changed(change: ResourceChange): Promise<void> {
    this.#forgetRows(change);
    await insertChanges(this, [change]);
    for (const reaction of this.#reactions) {
      const { resource, action = change.action } = reaction;
      if (resource !== change.resource || action !== change.action) continue;
      const reacting = reaction.react(this, change);
      // Awaiting undefined costs a microtask for each reaction, and most changes concern few reactions.
      if (reacting) await reacting;
    }
  }

  #forgetRows({ resource, action, id, before, after }: ResourceChange): void {
    if (this.#rows.size === 0) return;
    // The rows of a deleted account are deleted, too.
    if (resource === "account" && action === "deleted")
      for (const name of this.#rows.keys()) if (!name.startsWith("account ")) this.#rows.set(name, undefined);
    for (const kind of [resource, `${resource} id`])
      for (const key of [id, before?.externalId, after?.externalId])
        if (key != null) this.#rows.set(`${kind} ${typeof key} ${key}`, undefined);
  }
}

/** What follows from a change of a resource, in the same transaction. The list is `src/reactions.ts`. */
export type Reaction = {
  name: string;
  resource: ResourceChange["resource"];
  /** The only action that concerns it. Default: all do. */
  action?: ResourceChange["action"] | undefined;
  /** Returns undefined when the change does not concern it, or when it has nothing to wait for. */
  react(tx: TenantTransaction, change: ResourceChange): Promise<void> | undefined;
};
