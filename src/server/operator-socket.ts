import { existsSync, lstatSync, realpathSync, rmSync } from "node:fs";
import type { Server } from "bun";
import { errorCode } from "../../db/errors.ts";
import { startTimeoutMilliseconds } from "../../db/timer.ts";
import type { Fetch } from "../http/fetch.ts";
import type { Log } from "../log.ts";
import { maxBodyBytes } from "../shared/request-limits.ts";
import { drain } from "./shutdown.ts";

/** No permission for anyone but the owner: bind(2) takes the socket's mode from the umask. */
const ownerOnlyUmask = 0o177;
/** The codes of connect(2) where no server listens, or none that this user may reach. */
const noServerCodes = new Set(["ENOENT", "ENOTDIR", "ECONNREFUSED", "ENAMETOOLONG", "EACCES", "EPERM"]);

/** The path of the Unix socket of a file's server. Symbolic links to one file have the same socket. */
export function operatorSocketPath(file: string): string {
  return `${existsSync(file) ? realpathSync(file) : file}.sock`;
}

/** Whether an error means that no server listens on the socket. */
export function isNoServer(error: unknown): boolean {
  return noServerCodes.has(errorCode(error));
}

/**
 * Whether a server of the file listens on its socket. The lock of the file normally answers this; a server whose lock
 * file was removed is found by its socket only.
 */
export async function isServerRunning(file: string): Promise<boolean> {
  const signal = AbortSignal.timeout(startTimeoutMilliseconds);
  try {
    await fetch("http://localhost/", { unix: operatorSocketPath(file), signal });
    return true;
  } catch (error) {
    return !isNoServer(error);
  }
}

/**
 * Serves commands that run next to this server on `FILE.sock`, mode 0600. The caller has locked the file, so an existing
 * socket is left over from a crash. Returns a function that closes it. Logs where the socket cannot be created.
 */
export function openOperatorSocket(file: string, fetch: Fetch, log: Log): () => Promise<void> {
  const path = operatorSocketPath(file);
  try {
    // Anything else than a socket stays, and makes the bind fail.
    if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) rmSync(path);
    const server = serveOwnerOnly(path, fetch);
    return () => drain(server);
  } catch (error) {
    const code = errorCode(error);
    const detail = "organizations delete and import work only while the server is stopped";
    log.error("admin_socket_failed", { path, code, detail });
    return async () => {};
  }
}

/** Binds and listens without a moment in which another user could connect. */
function serveOwnerOnly(path: string, fetch: Fetch): Server<undefined> {
  const umask = process.umask(ownerOnlyUmask);
  try {
    return Bun.serve({
      unix: path,
      fetch,
      maxRequestBodySize: maxBodyBytes,
      // An operation may take longer than any timeout. Safe: Bun takes it for Unix sockets, too; its types do not.
      ...({ idleTimeout: 0 } as object),
    });
  } finally {
    process.umask(umask);
  }
}
