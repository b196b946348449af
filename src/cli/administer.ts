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
const noServerCodes = new Set(["ENOENT", "ECONNREFUSED", "ENAMETOOLONG", "EACCES", "EPERM"]);

type Reply = { result: unknown } | { error: { code: OperatorErrorCode; message: string } };

/**
 * Runs a change in the server of the database, so that the caches of the server stay correct; without a server, on the
 * database itself, with `exclusive` only if no server has it. Throws OperatorError, the same in both cases.
 */
export async function administer<N extends AdminOperationName>(
  database: string,
  name: N,
  input: AdminInput<N>,
  { create = false, exclusive = false } = {},
): Promise<AdminOutput<N>> {
  const reply = await callServer(adminSocketPath(database), name, input);
  if (reply && "error" in reply) throw new OperatorError(reply.error.code, reply.error.message);
  // Safe: the server runs the operation of this name; one of another version refuses what it does not know.
  if (reply) return reply.result as AdminOutput<N>;
  const engine = openDatabase(database, { clock: Date.now, create, exclusive, fold });
  try {
    return await runAdminOperation({ engine }, name, input);
  } finally {
    await engine.close();
  }
}

/** The reply of the server, or undefined when none listens. */
async function callServer(path: string, name: string, input: object): Promise<Reply | undefined> {
  try {
    const response = await fetch(`http://localhost/${name}`, {
      unix: path,
      method: "POST",
      body: JSON.stringify(input),
      // An operation may take longer than any timeout.
      timeout: false,
    });
    // Safe: nothing but the server's admin socket listens at this path.
    return (await response.json()) as Reply;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (noServerCodes.has(code)) return undefined;
    throw new OperatorError(
      "server_unreachable",
      `The server did not reply on ${path} (${code}). Whether the change was made is not known: list and see.`,
    );
  }
}
