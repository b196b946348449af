import {
  DiskFull,
  EngineBusy,
  errorCode,
  ForeignKeyViolation,
  QueryTimeout,
  ReadOnlyDatabase,
  StorageFailed,
  UniqueViolation,
} from "../errors.ts";

/** SQLSTATE codes (https://www.postgresql.org/docs/18/errcodes-appendix.html) by the error that callers get. */
const uniqueViolation = "23505";
const foreignKeyViolation = "23503";
const queryCanceled = "57014";
/** A serialization failure or a deadlock: the transaction stored nothing, and running it again may succeed. */
const retried = /^(?:40001|40P01)$/;
/** Connection lost or refused, server starting or stopping, too many connections, transaction or lock timeout. */
const unavailable = /^(?:08...|57P0.|53300|53400|25P0[34]|55P03)$/;
const diskFull = "53100";
/** Out of memory, I/O error, damaged data. */
const storageFailed = /^(?:53200|58...|XX00[12])$/;
const readOnly = "25006";
const insufficientPrivilege = "42501";
/** After a failure that took this long, the reads or writes that wait are rejected, too. */
export const slowFailureMilliseconds = 1_000;
const grantAdvice =
  "Grant the role USAGE on the schema, SELECT, INSERT, UPDATE and DELETE on all of its tables, and USAGE on all of its sequences, as their owner.";

/** The SQLSTATE of an error of the server; empty for any other error. */
export function stateOf(error: Error): string {
  return "errno" in error && typeof error.errno === "string" ? error.errno : "";
}

/** Whether an error is one of the driver or the server. */
export function isOfDriver(error: unknown): error is Error {
  return /^ERR_POSTGRES/.test(errorCode(error));
}

/** The error that callers get for an error of the driver or the server. */
export function translate(error: unknown): unknown {
  if (!isOfDriver(error)) return error;
  const state = stateOf(error);
  if (state === uniqueViolation) return new UniqueViolation(columnsOf(error));
  if (state === foreignKeyViolation) return new ForeignKeyViolation(error.message);
  if (state === queryCanceled) return new QueryTimeout("The statement took too long.");
  if (state === diskFull) return new DiskFull(error.message, { cause: error });
  if (storageFailed.test(state)) return new StorageFailed(error.message, { cause: error });
  if (state === insufficientPrivilege)
    return new StorageFailed(`${error.message}. ${grantAdvice}`, { cause: error });
  if (state === readOnly)
    return new ReadOnlyDatabase("The database accepts no writes: name the primary, not a standby.", {
      cause: error,
    });
  if (state === "" || retried.test(state) || unavailable.test(state))
    return new EngineBusy(`The database is not available: ${error.message}`, { cause: error });
  return error;
}

/** The columns of a violated unique constraint. In every language, the detail contains `(column, column)=(value, value)`. */
function columnsOf({ table, detail }: Error & { table?: string; detail?: string }): string {
  const columns = /\(([^)]+)\)=/.exec(detail ?? "")?.[1] ?? "";
  return columns.replace(/[^, ]+/g, `${table}.$&`);
}

/** Whether the statement did not run, because an earlier one of the transaction failed. */
export function isAborted(error: unknown): boolean {
  return error instanceof Error && stateOf(error) === "25P02";
}

/**
 * Whether the connection cannot be used any more: an error of the driver itself, or the server ends it, or the server
 * has become a standby, which accepts no writes.
 */
export function isConnectionLost(error: unknown): boolean {
  return isOfDriver(error) && /^(?:|08...|57P0.|25P0[34]|25006)$/.test(stateOf(error));
}

/** Whether a transaction was ended because it took too long. */
export function isTransactionTimeout(error: unknown): boolean {
  const cause = error instanceof EngineBusy ? error.cause : error;
  return cause instanceof Error && stateOf(cause) === "25P04";
}

/** Whether the server accepts no writes, such as a standby. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Error && stateOf(error) === readOnly;
}

/** Whether another transaction kept a lock for longer than the lock timeout. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && stateOf(error) === "55P03";
}

/** Whether the transaction can be run again at once. */
export function isRetried(error: unknown): boolean {
  const cause = error instanceof EngineBusy ? error.cause : error;
  return cause instanceof Error && retried.test(stateOf(cause));
}
