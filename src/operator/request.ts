import type { Engine } from "../../db/engine.ts";
import type { TenantServices } from "../core/tenant/tenant.ts";
import type { Log } from "../log.ts";

/** The header with the version of the command: a command of another version is refused. */
export const versionHeader = "accountd-version";
/** The header with the organization of a request, its name or id as encodeURIComponent encodes it. */
export const organizationHeader = "accountd-organization";
/** A GET of this address is answered at once: the server is running. */
export const probeUrl = "http://localhost/";

export type OperatorServices = {
  engine: Engine;
  reactions: TenantServices["reactions"];
  log: Log;
  /** The address of the console, without its path: undefined in a command, null if the server has no console. */
  consoleUrl?: string | null | undefined;
  /** Runs the due jobs until none has more to do. */
  runDueJobs: () => Promise<unknown>;
};

/** The method and the path of a request, for the log. */
export function operationOf({ method, url }: Request): string {
  return `${method} ${new URL(url).pathname}`;
}
