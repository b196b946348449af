import { errorCode, isBusy, isStorageFailure, ReadOnlyDatabase } from "../../../db/errors.ts";

/** Codes of command lines that are not understood. Stable: programs read them; docs/operations.md lists them. */
export const usageErrorCodes = [
  "command_missing",
  "confirmation_required",
  "invalid_mapping",
  "invalid_setting",
  "unknown_command",
  "unknown_option",
  "unknown_organization",
  "unreadable_file",
  "unwritable_file",
  "usage_error",
] as const;
type UsageErrorCode = (typeof usageErrorCodes)[number];

/** Codes of commands that failed. */
export const operatorErrorCodes = [
  "address_in_use",
  "address_unavailable",
  "attribute_values_conflict",
  "console_off",
  "copy_differs",
  "database_busy",
  "database_failed",
  "database_not_empty",
  "database_unusable",
  "internal_error",
  "invalid_expiry",
  "invalid_name",
  "name_taken",
  "not_found",
  "not_healthy",
  "server_unreachable",
  "unreadable_line",
  "unsupported_operation",
] as const;
export type OperatorErrorCode = (typeof operatorErrorCodes)[number];

/** A command line that is not understood. The message says what to write instead. */
export class UsageError extends Error {
  readonly code: UsageErrorCode;

  constructor(message: string, code: UsageErrorCode = "usage_error") {
    super(message);
    this.code = code;
  }
}

/** A failure that the person who runs the service can act on: the message is one line for them. */
export class OperatorError extends Error {
  readonly code: OperatorErrorCode;

  constructor(code: OperatorErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Ends a command with exit code 1 and without a further message: the log has the error already. */
export class LoggedError extends Error {}

/** The code and the message of any error that ends a command. */
export function describeError(error: unknown): { code: UsageErrorCode | OperatorErrorCode; message: string } {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError || error instanceof OperatorError) return { code: error.code, message };
  if (errorCode(error) === "DATABASE_UNUSABLE") return { code: "database_unusable", message };
  if (error instanceof ReadOnlyDatabase)
    return { code: "database_unusable", message: `${message} Nothing was changed.` };
  if (errorCode(error) === "ENGINE_BUSY")
    return {
      code: "database_busy",
      message: `${message.replace(/\.?$/, ".")} Nothing was changed: try again.`,
    };
  if (isBusy(error))
    return {
      code: "database_busy",
      message: "The database is locked by another program. Try again when the lock is released.",
    };
  if (isStorageFailure(error)) return { code: "database_failed", message };
  return { code: "internal_error", message };
}
