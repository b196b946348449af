import { lstatSync, rmSync } from "node:fs";
import type { Server } from "bun";
import { type AdminContext, runAdminOperation } from "../admin/operations.ts";
import { adminSocketPath } from "../admin/socket-path.ts";
import { describeError, OperatorError } from "../core/settings/operator-error.ts";
import { type Log, stackOf } from "../log.ts";
import { drain } from "./shutdown.ts";

/** More than a part of an import has: 256 KiB of JSON text, of at most 3 bytes for each UTF-16 unit. */
const maxBodyBytes = 1_048_576;
/** No permission for anyone but the owner: bind(2) takes the socket's mode from the umask. */
const ownerOnlyUmask = 0o177;

export type AdminSocket = { close: () => Promise<void> };

/**
 * Serves the admin operations on `FILE.sock`, mode 0600, for commands that run next to this server. The caller has
 * locked the database, so an existing socket is left over from a crash. Logs, and returns undefined, where the
 * socket cannot be created.
 */
export function openAdminSocket(
  database: string,
  context: AdminContext & { log: Log },
): AdminSocket | undefined {
  const path = adminSocketPath(database);
  let server: Server<undefined>;
  try {
    removeStaleSocket(path);
    server = serveOwnerOnly(path, context);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    context.log.error("admin_socket_failed", {
      path,
      code,
      detail: "organizations delete and import work only while the server is stopped",
    });
    return undefined;
  }
  return { close: () => drain(server) };
}

/** Anything else than a socket stays, and makes the bind fail. */
function removeStaleSocket(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) rmSync(path);
}

/** Binds and listens without a moment in which another user could connect. */
function serveOwnerOnly(path: string, context: AdminContext & { log: Log }): Server<undefined> {
  const umask = process.umask(ownerOnlyUmask);
  try {
    return Bun.serve({
      unix: path,
      fetch: (request) => reply(request, context),
      maxRequestBodySize: maxBodyBytes,
      // An operation may take longer than any timeout. Safe: Bun takes it for Unix sockets, too; its types do not.
      ...({ idleTimeout: 0 } as object),
    });
  } finally {
    process.umask(umask);
  }
}

/**
 * `POST /OPERATION` with the input as a JSON object: `{"result"}` or `{"error":{"code","message"}}`. `GET /` replies at
 * once, so that a command finds out whether this server replies before it sends an operation.
 */
async function reply(request: Request, context: AdminContext & { log: Log }): Promise<Response> {
  const operation = pathOf(request).slice(1);
  if (request.method === "GET" && operation === "") return Response.json({ result: null });
  try {
    const result = await runAdminOperation(context, operation, await readInput(request));
    // An import has many parts, and began with another operation.
    if (operation !== "importRows") context.log.info("admin_operation", { operation });
    return Response.json({ result });
  } catch (error) {
    const { code, message } = describeError(error);
    const stack = code === "internal_error" ? stackOf(error) : undefined;
    // An unknown operation is the sender's text, and is not repeated.
    const name = code === "unsupported_operation" ? null : operation;
    // An OperatorError, such as `name_taken`, is no fault of the server.
    const level = error instanceof OperatorError ? "info" : "error";
    context.log[level]("admin_operation_failed", { operation: name, code, stack });
    return Response.json({ error: { code, message } }, { status: 400 });
  }
}

/** Empty for a request with an invalid Host, whose address is relative. */
function pathOf(request: Request): string {
  return URL.canParse(request.url) ? new URL(request.url).pathname : "";
}

async function readInput(request: Request): Promise<Record<string, unknown>> {
  const input: unknown = await request.json().catch(() => undefined);
  if (request.method === "POST" && typeof input === "object" && input !== null) return { ...input };
  throw new OperatorError("unsupported_operation", "An operation is a POST with a JSON object.");
}
