import type { Engine } from "../../db/engine.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import {
  type AdminInput,
  type AdminOperationName,
  type AdminOutput,
  runAdminOperation,
} from "../admin/operations.ts";
import { adminSocketPath } from "../admin/socket-path.ts";
import { fold } from "../core/folding.ts";
import { OperatorError, type OperatorErrorCode } from "../core/operator-error.ts";

/** What connect(2) answers where no server listens, or none that this user may reach. */
const noServerCodes = new Set(["ENOENT", "ENOTDIR", "ECONNREFUSED", "ENAMETOOLONG", "EACCES", "EPERM"]);

/** The time in which a server that accepts a connection replies, before an operation is sent. */
const defaultTimeoutMilliseconds = 10_000;

type AdminReply = { result: unknown } | { error: { code: OperatorErrorCode; message: string } };

/**
 * Runs a change in the server of the database, so that the caches of the server stay correct; without a server, on the
 * database itself. `exclusive` is for a change that must not run next to a server: it holds the lock of the database.
 * Throws OperatorError, the same in all cases, and UnusableDatabase.
 */
export async function administer<N extends AdminOperationName>(
  database: string,
  name: N,
  input: AdminInput<N>,
  { create = false, exclusive = false, timeoutMilliseconds = defaultTimeoutMilliseconds } = {},
): Promise<AdminOutput<N>> {
  const call = () => callServer(adminSocketPath(database), name, input, timeoutMilliseconds);
  const reply = await call();
  if (reply) return resultOf<N>(reply);
  let engine: Engine;
  try {
    // A database of an older version is refused: only serve and migrate upgrade it.
    if (exclusive) await openDatabase(database, { clock: Date.now }).close();
    engine = openDatabase(database, { clock: Date.now, create, exclusive, fold });
  } catch (error) {
    // A server that was starting has its socket by now.
    const lateReply = exclusive ? await call() : undefined;
    if (lateReply) return resultOf<N>(lateReply);
    throw error;
  }
  try {
    return await runAdminOperation({ engine }, name, input);
  } finally {
    await engine.close();
  }
}

function resultOf<N extends AdminOperationName>(reply: AdminReply): AdminOutput<N> {
  if ("error" in reply) throw new OperatorError(reply.error.code, reply.error.message);
  // Safe: the server ran the operation that was asked for; one of another version refuses what it does not know.
  return reply.result as AdminOutput<N>;
}

/** The reply of the server, or undefined when none listens. */
async function callServer(
  path: string,
  name: string,
  input: object,
  timeoutMilliseconds: number,
): Promise<AdminReply | undefined> {
  try {
    await fetch("http://localhost/", { unix: path, signal: AbortSignal.timeout(timeoutMilliseconds) });
    const response = await fetch(`http://localhost/${name}`, {
      unix: path,
      method: "POST",
      body: JSON.stringify(input),
      // An operation may take longer than any timeout.
      timeout: false,
    });
    // Safe: nothing but the server's admin socket listens at this path.
    return (await response.json()) as AdminReply;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (noServerCodes.has(code)) return undefined;
    if (error instanceof Error && error.name === "TimeoutError")
      throw new OperatorError(
        "server_unreachable",
        `A process accepts connections on ${path} but does not reply. Nothing was changed: restart the server, or stop it, and try again.`,
      );
    throw new OperatorError(
      "server_unreachable",
      `The server did not reply on ${path} (${code}). Whether the change was made is not known: list and see.`,
    );
  }
}
