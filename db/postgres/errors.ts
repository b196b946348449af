import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
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
import { keyOfTable, tables } from "../tables.ts";

/** The columns of each unique constraint, in the form of `UniqueViolation`, by PostgreSQL's name of the constraint. */
const columnsByName = new Map(tables.flatMap(({ config }) => uniquesOf(config)));

/** The columns of a unique constraint: `table.column, table.column`. The name itself for any other one. */
export function columnsOfConstraint(name: string): string {
  return columnsByName.get(name) ?? name;
}

function uniquesOf(config: (typeof tables)[number]["config"]): [name: string, columns: string][] {
  const { name, columns, uniqueConstraints, indexes } = config;
  const described = (key: string, list: readonly SQLiteColumn[]): [string, string] => [
    key,
    list.map((column) => `${name}.${column.name}`).join(", "),
  ];
  // PostgreSQL's default names of constraints.
  const uniqueName = (list: readonly SQLiteColumn[]) =>
    [name, ...list.map((column) => column.name), "key"].join("_");
  return [
    described(`${name}_pkey`, keyOfTable(config)),
    ...uniqueConstraints.map((unique) => described(uniqueName(unique.columns), unique.columns)),
    ...indexes.flatMap(({ config }) =>
      // Safe: a unique index is one of columns.
      config.unique ? [described(config.name, config.columns as SQLiteColumn[])] : [],
    ),
    ...columns.filter(({ isUnique }) => isUnique).map((column) => described(uniqueName([column]), [column])),
  ];
}

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
  if (state === uniqueViolation) {
    const constraint = "constraint" in error ? String(error.constraint) : "";
    return new UniqueViolation(columnsOfConstraint(constraint));
  }
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
