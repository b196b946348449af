/** A database that cannot be opened or used. The message is one line that says what to do. */
export class UnusableDatabase extends Error {
  readonly code = "DATABASE_UNUSABLE";
}

/** A file whose lock another process has. */
export class DatabaseInUse extends UnusableDatabase {}

/** Too many writes wait, the engine is closing, or a snapshot or the connection was lost. Nothing was changed. */
export class EngineBusy extends Error {
  readonly code = "ENGINE_BUSY";
}

/** A server that accepts no writes, such as a standby. Another host may. */
export class ReadOnlyDatabase extends EngineBusy {}

/** A slow read that was not started, because too many of its organization are waiting. */
export class TooManyReads extends Error {
  readonly code = "TOO_MANY_READS";
}

/** A slow read that was not started, because no process for it runs or can be started. */
export class NoReader extends TooManyReads {}

/** Another program reads or writes the file, so that what deleted rows left in it was not erased. */
export class EraseBlocked extends Error {}

/** A statement that exceeded its time limit. With SQLite the limit of a read includes the time in its queue. */
export class QueryTimeout extends Error {
  readonly code = "QUERY_TIMEOUT";
}

/** A read that waited for most of its time: it may need less than the limit. */
export class LateRead extends QueryTimeout {}

/** The engine is closing, so a retry in this process cannot succeed. */
export class EngineStopping extends EngineBusy {
  constructor() {
    super("The server is stopping.");
  }
}

/** The file was removed or replaced while it was open: a write to it would be lost. */
export class DatabaseReplaced extends Error {
  readonly code = "DATABASE_REPLACED";
}

/** A damaged page was read since the start. Nothing is written until the database is restored. */
export class DatabaseDamaged extends Error {
  readonly code = "DATABASE_DAMAGED";
}

/** The database's disk failed or is full, its data is damaged, or a privilege is missing. The transaction stored nothing. */
export class StorageFailed extends Error {
  readonly code = "STORAGE_FAILED";
}

export class DiskFull extends StorageFailed {}

/** A write that violates a unique constraint; `constraint` names its columns: `table.column, table.column`. */
export class UniqueViolation extends Error {
  readonly code = "UNIQUE_VIOLATION";
  readonly constraint: string;

  constructor(constraint: string) {
    super(`unique constraint violated: ${constraint}`);
    this.constraint = constraint;
  }
}

/** A write that refers to a row that does not exist. */
export class ForeignKeyViolation extends Error {
  readonly code = "FOREIGN_KEY_VIOLATION";
}

/** A commit whose reply was lost, and that cannot be looked up: it may be stored. */
export class OutcomeUnknown extends Error {
  readonly code = "OUTCOME_UNKNOWN";
}

/** Whether a write referred to a row that does not exist. */
export function isForeignKeyViolation(error: unknown): boolean {
  return /^(?:SQLITE_CONSTRAINT_FOREIGNKEY|FOREIGN_KEY_VIOLATION)$/.test(errorCode(error));
}

/** Whether a constraint of a table rejected a write. */
export function isConstraintViolation(error: unknown): boolean {
  // The class 23 of PostgreSQL's codes.
  const state = error instanceof Error && "errno" in error ? String(error.errno) : "";
  return /^SQLITE_CONSTRAINT|_VIOLATION$/.test(errorCode(error)) || /^23...$/.test(state);
}

/** The `code` of an error of the database, the operating system or `fetch`; empty for any other error. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return "";
  return error.code;
}

/** Whether a lock or a full queue prevented the work. Nothing was changed, and a retry may succeed. */
export function isBusy(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENGINE_BUSY" || code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED");
}

/** Whether the file is damaged. */
export function isDamage(error: unknown): boolean {
  return /^(?:DATABASE_DAMAGED|SQLITE_CORRUPT|SQLITE_NOTADB)/.test(errorCode(error));
}

/** Whether the file is damaged or was removed, or its disk failed or is full. The transaction stored nothing. */
export function isStorageFailure(error: unknown): boolean {
  return (
    isDamage(error) ||
    /^(?:DATABASE_REPLACED|STORAGE_FAILED|SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN))/.test(errorCode(error))
  );
}
