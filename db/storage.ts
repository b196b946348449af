import type { OnClockAhead } from "./clock-gaps.ts";
import type { CopyReader, CopyTarget } from "./copy.ts";
import type { DerivedFault, DerivedKind } from "./derived-faults.ts";
import type { Engine } from "./engine.ts";
import type { Inspection } from "./inspection.ts";
import type { Folding, MigrationState } from "./migration.ts";

export type CommittedBatch = { writeCount: number; milliseconds: number };

/** How a process opens a database. What does not concern an engine is ignored by it. */
export type StorageOptions = Folding & {
  /** Milliseconds since 1970 UTC. */
  clock: () => number;
  /** Create the database if it does not exist. */
  canCreate?: boolean;
  /** For a server: a file is locked, migrated, and checked after an unclean shutdown; a server's schema is migrated. */
  isExclusive?: boolean;
  /** With `isExclusive`: false rejects a database of an older version instead of migrating it. */
  canMigrate?: boolean;
  /** Called before any change with the case-folded names of the organizations. Throws to reject the database. */
  checkOrganizations?: ((foldedNames: string[]) => void) | undefined;
  /** Called after a file, or the tables of a schema, were made: with the path of the file, or the name of the schema. */
  created?: (name: string) => void;
  /** Called after an upgrade, with the names of its migrations and the path of the copy made before it, if any. */
  upgraded?: (names: string[], copy: string | undefined) => void;
  /** Called when the clock jumped by more than an hour, with the milliseconds. */
  onClockJump?: (milliseconds: number) => void;
  /** Called once, when the clock is far ahead of the newest stored time, with both. Without it, it is not compared. */
  onClockAhead?: OnClockAhead | undefined;
  /** Called once, when the clock differs from the clock of the database's server by more than an hour, with both times. */
  onClockDiffers?: ((time: number, serverTime: number) => void) | undefined;
  /** Called once, when the first damaged page is read. */
  onDamage?: () => void;
  /** Called after the commit of a batch, with its duration: on a server, the duration of the whole transaction. */
  onCommit?: ((batch: CommittedBatch) => void) | undefined;
  /** Called when a process for slow reads cannot be started or ended by itself, once until one answers. */
  onReaderFailed?: (error: unknown) => void;
  /** The maximum number of processes for slow reads. */
  readWorkers?: number | undefined;
  /** Called when the process waits for another one to migrate the database. Without it, that is an error at once. */
  onMigrationAwaited?: () => void;
};

/** The connections of one process to a database on a server. */
export type ConnectionSettings = {
  /** The numbers of connections for reads and for writes. */
  readConnections: number;
  writeLanes: number;
  /** The time limit of a statement. */
  statementMilliseconds: number;
  /** Whether the server keeps the plans of statements. False for PgBouncer's transaction mode. */
  prepare: boolean;
};

export type StorageCheck = {
  /** Only look for damaged pages. */
  isQuick?: boolean;
  /** The first UTC day, in days since 1970, whose users are complete. */
  firstCompleteDay: number;
  /** Called for what is no fault: each contact that `sharedAddresses` of db/addresses.ts selects, at most 100. */
  onNote?: ((note: string) => void) | undefined;
  /** Called for each fault that can be derived from other rows. */
  onDerived?: ((fault: DerivedFault) => void) | undefined;
  /** Only compare values of this kind, up to `maxFaults` of them. */
  only?: { kind: DerivedKind; maxFaults: number } | undefined;
  /** Called when values were compared: the schema has this version, and no page is damaged. */
  onCompared?: (() => void) | undefined;
};

/** A database as the settings name it: a SQLite file, or a database of a PostgreSQL server. */
export interface Storage {
  /** Its name for messages, without a password. */
  readonly name: string;
  /** The path of a file; undefined for a server. One process has a file open: its commands go through that process. */
  readonly file: string | undefined;
  /** Throws UnusableDatabase, with a one-line message for the operator. */
  open(options: StorageOptions): Promise<Engine>;
  /** For reading only, also next to servers. Throws as `open` does. */
  openReader(options: Pick<StorageOptions, "clock">): Promise<Pick<Engine, "read" | "now" | "close">>;
  /**
   * Each migration of this binary, and when it was applied. Throws as `open` does, also when there is no file, unless
   * `canBeAbsent`: then none was applied.
   */
  migrationStates(options?: { canBeAbsent?: boolean }): Promise<MigrationState[]>;
  /** The faults of the database, one line each. Throws as `open` does. */
  check(options: StorageCheck): Promise<string[]>;
  /** For `accountd doctor`, of tables of this version. Throws as `open` does. */
  inspect(): Promise<Inspection>;
  /** One snapshot, also next to servers. Throws as `open` does. */
  openCopySource(clock: () => number): Promise<CopyReader>;
  /** A database without rows or with an unfinished copy; created if there is none. Throws as `open` does. */
  openCopyTarget(clock: () => number): Promise<CopyTarget>;
}
