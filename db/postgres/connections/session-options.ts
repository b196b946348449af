import type { SQL } from "bun";
import { requestTimeoutMilliseconds } from "../../timer.ts";
import type { Hosts } from "./hosts.ts";
import type { TlsOptions } from "./tls.ts";

export type SessionOptions = {
  /** The hosts of the server, which all sessions of an engine share. */
  hosts: Hosts;
  statementMilliseconds?: number;
  /** The server's time limit of an open transaction between two statements. */
  idleInTransactionMilliseconds?: number;
  /**
   * Whether statements are prepared, and limits set, once for the connection. False for a pooler in transaction mode,
   * which runs each transaction on another connection: the limits are then set in each transaction.
   */
  prepare?: boolean;
  /** The name of the connection in the server's list. */
  applicationName?: string | undefined;
};

/** The limit of the wait for a lock, and of an open transaction for its next statement. */
export const maxLockWaitMilliseconds = 4_000;

/** Without it, a setting of the database or the role can make the server round the numbers of results. */
export const exactNumbers = { extra_float_digits: "1" };

/** How much longer than a statement a transaction may take. */
const transactionAfterMilliseconds = 3_000;

/** A connection to a host of the database; `onclose` is called when it is closed. */
export function openPool(options: SessionOptions, host: TlsOptions, onclose: () => void): SQL {
  const { prepare = true, applicationName = "accountd" } = options;
  // `import { SQL }` would load the driver at every start, also of SQLite.
  return new Bun.SQL({
    ...host,
    onclose,
    max: 1,
    bigint: true,
    prepare,
    idleTimeout: 0,
    connection: { application_name: applicationName, ...(prepare && settingsOf(options)) },
  });
}

/** The settings of the server for the statements of a connection. */
export function settingsOf(options: SessionOptions): Record<string, string> {
  const { statementMilliseconds = requestTimeoutMilliseconds } = options;
  const { idleInTransactionMilliseconds = maxLockWaitMilliseconds } = options;
  return {
    statement_timeout: String(statementMilliseconds),
    idle_in_transaction_session_timeout: String(idleInTransactionMilliseconds),
    // Also ends a transaction whose next message arrived only in part; the other two limits do not apply then.
    transaction_timeout: String(statementMilliseconds + transactionAfterMilliseconds),
    lock_timeout: String(maxLockWaitMilliseconds),
    // Plans of foreign-key checks that were made while a table was empty would scan it until its first ANALYZE.
    enable_seqscan: "off",
    ...exactNumbers,
  };
}
