import { adminSocketPath } from "./socket-path.ts";

const timeoutMilliseconds = 2_000;
/** The codes of connect(2) where no server listens, or none that this user may reach. */
const noServerCodes = new Set(["ENOENT", "ENOTDIR", "ECONNREFUSED", "ENAMETOOLONG", "EACCES", "EPERM"]);

/** Whether an error means that no server listens on the socket. */
export function isNoServer(error: unknown): boolean {
  return error instanceof Error && "code" in error && noServerCodes.has(String(error.code));
}

/**
 * Whether a server of the database listens on its socket. The lock of the database normally answers this; a server
 * whose lock file was removed is found by its socket only.
 */
export async function isServerRunning(database: string): Promise<boolean> {
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  try {
    await fetch("http://localhost/", { unix: adminSocketPath(database), signal });
    return true;
  } catch (error) {
    return !isNoServer(error);
  }
}
