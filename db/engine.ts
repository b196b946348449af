import type { ServiceClock } from "./clock.ts";
import type { Statement } from "./statements.ts";

/** A value that can be bound to an input: never undefined, a boolean or a Date. */
export type Value = string | number | null;
export type Values = Readonly<Record<string, Value>>;

/** Reads one consistent state of the database. Asynchronous, because an engine may be remote. */
export interface Snapshot {
  /** Set if rows arrive in a later turn of the event loop: from another process, or a server. */
  readonly isRemote?: true;
  /** Milliseconds since 1970 UTC, fixed. Monotonic like `Engine.now`. */
  readonly now: number;
  first<R>(statement: Statement<R>, values: Values): Promise<R | undefined>;
  all<R>(statement: Statement<R>, values: Values): Promise<R[]>;
}

/** Reads and changes rows. All changes are committed together, or none. */
export interface Transaction extends Snapshot {
  /** `first` where a row is rare: an engine may continue without one, and run the transaction again if there is one. */
  findRare<R>(statement: Statement<R>, values: Values): Promise<R | undefined>;
  /** `all` of a table in which most organizations have no rows: PostgreSQL reads with the lock whether there are any. */
  allRare<R>(statement: Statement<R>, values: Values): Promise<R[]>;
  /** Runs a statement. An engine may continue before it is done: when it fails then, the transaction runs again. */
  run(statement: Statement<unknown>, values: Values): Promise<void>;
  /** Runs a statement; resolves with the number of rows that it inserted, changed or deleted. */
  count(statement: Statement<unknown>, values: Values): Promise<number>;
  /** Inserts a row; resolves with its id. Fails and retries as `run` does. */
  insert(statement: Statement<unknown>, values: Values): Promise<number>;
  /**
   * Inserts rows; resolves with whether each was inserted or has updated a row. The others conflict with a row that has
   * the same key. Where the statement updates on a conflict, no two of `rows` have the same key, and an engine may
   * continue as after `run`.
   */
  insertAll(statement: Statement<unknown>, rows: readonly Values[]): Promise<boolean[]>;
  /**
   * Runs a part of the transaction, one at a time; throws what `work` throws, after its changes are undone. An engine may
   * run `work` again, or throw another error and run the transaction again.
   */
  attempt<T>(work: () => Promise<T>): Promise<T>;
  /** The number after the number of the organization's last change. */
  nextSequence(organizationId: number): Promise<number>;
  /** Lets reads run during a long change. Throws EngineStopping when the server is stopping. */
  pause(): Promise<void>;
}

export type WriteOptions = {
  /** Set for bulk writes: deferred work then runs in small parts. */
  isBulk?: boolean;
  /** The number of rows or operations of a request. An engine may run a write of many apart from the others. */
  rowCount?: number;
  /** The table into which the transaction inserts a row: an engine may choose its id before `fn` runs. */
  insertsInto?: string | undefined;
  /** What the transaction reads first: an engine may read it before `fn` runs. */
  firstRead?: { statement: Statement<unknown>; values: Values } | undefined;
};

export type ReadHints = {
  /** Whether `fn` runs one statement only, for which an engine needs no transaction. */
  isOneStatement?: boolean | undefined;
  /** Where the read runs: `reader` for a read of many rows, which does not delay the serving thread. Default: serving. */
  place?: ReadPlace | undefined;
  /** With the place `reader`: the organization, whose reads wait together. Default: 0. */
  organizationId?: number;
  /** Returns a signal that is aborted when nobody waits for the result any more. */
  signal?: (() => AbortSignal) | undefined;
};
/** `isBeforeRead`: a read follows in the same turn of the event loop. An engine may use one read transaction for both. */
export type LookUpHints = { isBeforeRead?: boolean };
/** Where a read runs. The engine limits the reads of an organization for each place. */
export type ReadPlace = "serving" | "reader";

/** A database for reading. `fn` awaits nothing but its own statements. */
export interface Reader {
  /** Runs `fn` on one consistent snapshot. */
  read<T>(fn: (snapshot: Snapshot) => Promise<T>, options?: ReadHints): Promise<T>;
}

/** What an engine runs now, for monitoring. */
export type EngineState = {
  /** Writes that wait for a batch. */
  waitingWriteCount: number;
  /** The processes for slow reads of a file. Killed: since the start, at the time limit or after a disconnect. */
  readers?: Record<"processCount" | "busyCount" | "waitingCount" | "killedCount", number>;
  /** The connections for reads to a server. */
  connections?: Record<"totalCount" | "busyCount" | "waitingCount", number>;
};
type DatabaseSize = { databaseBytes: number; walBytes?: number };

/** Longer than a batch of repairs that continues after its command was killed. */
export const repairLeaseSeconds = 60;
/** Called with organizations that were written to. Throws nothing. */
export type WriteListener = (organizationIds: readonly number[]) => void;
/** `isUrgent`: whether a write of another process is needed within a second. Default: it is. */
export type WatchOptions = { isUrgent?: () => boolean };

/** The lease of the one command that repairs a database, for 60 s. `id` is that command. */
export type RepairLease = {
  /** Resolves with false while another command has the lease. */
  begin: (id: string) => Promise<boolean>;
  /** Resolves with false if another command has begun since. */
  extend: (id: string) => Promise<boolean>;
  end: (id: string) => Promise<void>;
};

/**
 * A database. `fn` awaits nothing but its own statements, and has no effect outside its transaction: an engine may
 * run it again. All methods throw the errors of `db/errors.ts`, or the driver's own error.
 */
export interface Engine extends Reader {
  readonly clock: ServiceClock;
  /** Reads a few rows by their keys, which every request needs, as they are after the last commit. */
  lookUp<T>(fn: (snapshot: Snapshot) => Promise<T>, options?: LookUpHints): Promise<T>;
  /**
   * Milliseconds since 1970 UTC. Within a process never earlier than the last transaction, unless the clock was set
   * back by more than an hour.
   */
  now(): number;
  /**
   * Runs `fn` in a transaction; resolves after the commit is durable. `organizationId` is 0 for rows of no
   * organization. Throws what `fn` throws (nothing is stored then), and the errors of `db/errors.ts`.
   */
  write<T>(organizationId: number, fn: (tx: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * Returns a function that erases what deleted rows left in the database's files, one part at each call. It resolves
   * with whether there is more. Overlapping calls share their parts. Throws EraseBlocked when another program has
   * prevented it for `maxBlockedMilliseconds`, by default never; a later call goes on.
   */
  eraseDeleted(maxBlockedMilliseconds?: number): () => Promise<boolean>;
  /**
   * Whether this process runs the jobs now. Of several processes with one database, one has the lease; another one gets
   * it within 15 seconds after the holder has stopped.
   */
  leaseJobs(): Promise<boolean>;
  readonly repairs: RepairLease;
  /**
   * Calls `listener` after each commit of any process with the organizations that were written to, perhaps with further
   * ones, perhaps twice. Returns a function that ends this. Of another process, a commit is reported within 2 s.
   */
  watchWrites(listener: WriteListener, options?: WatchOptions): () => void;
  state(): EngineState;
  readSize(): Promise<DatabaseSize>;
  /** Commits a transaction that changes no value, to test whether writes work. Throws as `write` does. */
  probeWrite(): Promise<void>;
  /** Throws when the database cannot be read, or a damaged page was read since the start. */
  ping(): Promise<void>;
  /** Waits for running work and closes the database. A file is complete then, without a WAL. */
  close(): Promise<void>;
}
