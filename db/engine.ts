import type { ServiceClock } from "./clock.ts";
import type { AccountStatus } from "./schema.ts";
import type { Statement } from "./statements.ts";

/** A value that can be bound to an input: never undefined, a boolean or a Date. */
export type Value = string | number | null;
export type Values = Readonly<Record<string, Value>>;

/** Reads one consistent state of the database. Asynchronous, because an engine may be remote. */
export interface Snapshot {
  /** Milliseconds since 1970 UTC, fixed. Within a process as `Engine.now`. */
  readonly now: number;
  first<R>(statement: Statement<R>, values: Values): Promise<R | undefined>;
  all<R>(statement: Statement<R>, values: Values): Promise<R[]>;
  /** Searches the index of account names; undefined when the engine has no such index now. */
  searchAccounts(search: AccountSearch): Promise<AccountMatches | undefined>;
}

/** Reads and changes rows. All changes are committed together, or none. */
export interface Transaction extends Snapshot {
  /** Runs a statement; resolves with the number of rows that it inserted, changed or deleted. */
  run(statement: Statement<unknown>, values: Values): Promise<number>;
  /** Inserts a row; resolves with its id. Takes a third of the time of a statement that returns the row. */
  insert(statement: Statement<unknown>, values: Values): Promise<number>;
  /** Lets reads run during a long change. Throws EngineStopping when the server is stopping. */
  pause(): Promise<void>;
  /** Marks a created, changed or deleted account as stale in the index of account names, after the commit. */
  markAccountChanged(organizationId: number, accountId: number): void;
}

/** A substring search over the folded names and external ids of an organization's accounts, in name order. */
export type AccountSearch = {
  organizationId: number;
  /** Case-folded. */
  needle: string;
  status: AccountStatus | undefined;
  isDescending: boolean;
  limit: number;
  offset: number;
  /** With more matches, the result has `includes` instead of ids, or is undefined when the engine has no such index. */
  maxTotal?: number | undefined;
};
export type AccountMatches = {
  /** The accounts of the page. */
  ids: number[];
  total: number;
  /** Whether an account matches. */
  includes?: (id: number) => boolean;
};

export type WriteOptions = {
  /** One of many transactions that change many rows each: work that they defer is done in small parts. */
  isBulk?: boolean;
};

/** A database for reading. `fn` awaits nothing but its own statements. */
export interface Reader {
  /** Runs `fn` on one consistent snapshot. */
  read<T>(fn: (snapshot: Snapshot) => Promise<T>): Promise<T>;
}

/**
 * A database. `fn` awaits nothing but its own statements, and has no effect outside its transaction: an engine may
 * run it again. All methods throw EngineBusy, DatabaseReplaced, DatabaseDamaged, or the driver's own error.
 */
export interface Engine extends Reader {
  readonly clock: ServiceClock;
  /** `read` for a few rows by their keys, which every request needs. */
  lookUp<T>(fn: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /**
   * Milliseconds since 1970 UTC. Within a process never earlier than the last transaction, unless the clock was set
   * back by more than an hour.
   */
  now(): number;
  /**
   * Runs `fn` in a transaction; resolves after the commit is durable. `organizationId` is 0 for rows of no
   * organization. Throws what `fn` throws (nothing is stored then), and UniqueViolation.
   */
  write<T>(organizationId: number, fn: (tx: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * Returns a function that erases what deleted rows left in the database's files, one part at each call. It resolves
   * with whether there is more.
   */
  eraseDeleted(): () => Promise<boolean>;
  /**
   * Whether this process runs the jobs now. Of several processes with one database, one has the lease; another one gets
   * it within 15 seconds after the holder has stopped.
   */
  leaseJobs(): Promise<boolean>;
  /** Throws when the database cannot be read, or a damaged page was read since the start. */
  ping(): Promise<void>;
  /** Waits for running work and closes the database. A file is complete then, without a WAL. */
  close(): Promise<void>;
}
