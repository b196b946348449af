/** A database that cannot be used as it is: the message is one line for the person who runs the service. */
export class UnusableDatabase extends Error {
  readonly code = "DATABASE_REFUSED";
}

/** A write that was not made because too many wait, the file is locked, or the service is stopping. */
export class EngineBusy extends Error {
  readonly code = "STORE_BUSY";
}

/** The file was removed or replaced while it was open: what is written to it now is lost. */
export class DatabaseReplaced extends Error {
  readonly code = "DATABASE_GONE";
}

/** The code that SQLite, or one of the classes above, gave an error; empty for any other error. */
export function engineErrorCode(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return "";
  return error.code;
}

/** Whether another connection holds the lock. Nothing was changed; the same work may be tried again. */
export function isBusy(error: unknown): boolean {
  const code = engineErrorCode(error);
  return code === "STORE_BUSY" || code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED");
}

/** Whether the file or the disk under it failed, is full or is gone. Nothing of the transaction was kept. */
export function isDiskFailure(error: unknown): boolean {
  const code = engineErrorCode(error);
  return code === "DATABASE_GONE" || /^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN)/.test(code);
}

/**
 * The columns of the unique index that a write broke, as `table.column, table.column`, or undefined when
 * the error is of another kind.
 */
export function violatedUniqueIndex(error: unknown): string | undefined {
  if (engineErrorCode(error) !== "SQLITE_CONSTRAINT_UNIQUE" || !(error instanceof Error)) return undefined;
  return error.message.replace("UNIQUE constraint failed: ", "");
}
