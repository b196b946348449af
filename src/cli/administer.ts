import type { Engine } from "../../db/engine.ts";
import type { StorageOptions } from "../../db/storage.ts";
import {
  type AdminContext,
  type AdminInput,
  type AdminOperationName,
  type AdminOutput,
  runAdminOperation,
} from "../admin/operations.ts";
import { isNoServer } from "../admin/running-server.ts";
import { adminSocketPath } from "../admin/socket-path.ts";
import { storageOf } from "../admin/storage.ts";
import { readConnections } from "../config.ts";
import { OperatorError, type OperatorErrorCode } from "../core/settings/operator-error.ts";

/** The time in which a server that accepts a connection replies, before an operation is sent. */
const defaultTimeoutMilliseconds = 10_000;

type AdminReply = { result: unknown } | { error: { code: OperatorErrorCode; message: string } };

/**
 * Runs a change in the server of the database, so that the caches of the server stay correct; without a server, on the
 * database itself. `isExclusive` is for a change that must not run next to a server: it requires the database's lock.
 * `needsServer` is for an operation on a file that only its server can run. On a database of a server every operation
 * runs here, with the context that `contextOf` makes.
 * Throws OperatorError, the same in all cases, and UnusableDatabase.
 */
export async function administer<N extends AdminOperationName>(
  database: string,
  name: N,
  input: AdminInput<N>,
  {
    canCreate = false,
    isExclusive = false,
    needsServer = false,
    timeoutMilliseconds = defaultTimeoutMilliseconds,
    contextOf = (engine: Engine): AdminContext => ({ engine }),
    onClockDiffers = undefined as StorageOptions["onClockDiffers"],
    onClockAhead = undefined as StorageOptions["onClockAhead"],
  } = {},
): Promise<AdminOutput<N>> {
  const storage = await storageOf(database, readConnections({}));
  const { file } = storage;
  const call = async () =>
    file === undefined ? undefined : callServer(adminSocketPath(file), name, input, timeoutMilliseconds);
  const reply = await call();
  if (reply) return resultOf<N>(reply);
  if (needsServer && file !== undefined)
    throw new OperatorError("server_unreachable", `No server of ${storage.name} is running. Start it first.`);
  let engine: Engine;
  try {
    // Only serve and migrate upgrade a database.
    engine = await storage.open({
      clock: Date.now,
      canCreate,
      isExclusive,
      canMigrate: false,
      onClockDiffers,
      onClockAhead,
    });
  } catch (error) {
    // The socket of a server that was starting may exist now.
    const lateReply = isExclusive ? await call() : undefined;
    if (lateReply) return resultOf<N>(lateReply);
    throw error;
  }
  try {
    return await runAdminOperation(contextOf(engine), name, input);
  } finally {
    await engine.close();
  }
}

export function resultOf<N extends AdminOperationName>(reply: AdminReply): AdminOutput<N> {
  if ("error" in reply) throw new OperatorError(reply.error.code, reply.error.message);
  // Safe: the server ran this operation; one of another version replies with an error to an unknown operation.
  return reply.result as AdminOutput<N>;
}

/** The reply of the server, or undefined when none listens. */
export async function callServer(
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
    if (isNoServer(error)) return undefined;
    if (error instanceof Error && error.name === "TimeoutError")
      throw new OperatorError(
        "server_unreachable",
        `A process accepts connections on ${path} but does not reply. Nothing was changed: restart the server, or stop it, and try again.`,
      );
    throw new OperatorError(
      "server_unreachable",
      `The server did not reply on ${path} (${code}). The change may have been made. Check with \`keys list\` or \`organizations list\`.`,
    );
  }
}
