import { lookup } from "node:dns/promises";
import { EngineBusy, errorCode } from "../../errors.ts";
import { stateOf } from "../errors.ts";
import { explainTlsError } from "./tls.ts";

const maxLookupMilliseconds = 500;
const defaultPort = "5432";

/** An error of a connection to the host of a URL, with its cause and what to do; any other error unchanged. */
export async function explainConnectError(error: unknown, url: string): Promise<unknown> {
  const { hostname, port, username, pathname } = new URL(url);
  if (!(error instanceof Error)) return error;
  if (errorCode(error) === "ERR_POSTGRES_CONNECTION_REFUSED" && hostname !== "") {
    const message = (await isUnknown(hostname))
      ? `The host ${hostname} is unknown.`
      : `No server accepts connections at ${hostname}:${port || defaultPort}.`;
    return new EngineBusy(message, { cause: error });
  }
  const advice = adviceFor(error, decodeURIComponent(username), decodeURIComponent(pathname.slice(1)));
  if (advice === undefined) return explainTlsError(error, hostname);
  return new EngineBusy(`${error.message.replace(/\.$/, "")}. ${advice}`, { cause: error });
}

function adviceFor(error: Error, role: string, database: string): string | undefined {
  const state = stateOf(error);
  if (/^unsupported startup parameter/.test(error.message))
    return "A pooler refuses it: set DATABASE_PREPARE=false, or add the parameter to ignore_startup_parameters of PgBouncer.";
  if (state === "28P01")
    return "Percent-encode the special characters of the password in the URL, or set PGPASSWORD.";
  if (state === "3D000")
    return `Create the database: createdb --owner ${role || "ROLE"} --encoding UTF8 ${database || "NAME"}.`;
  return undefined;
}

async function isUnknown(hostname: string): Promise<boolean> {
  const { isIP } = process.getBuiltinModule("node:net");
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return false;
  const found = lookup(hostname).then(
    () => false,
    (error: unknown) => /^(?:ENOTFOUND|DNS_ENOTFOUND)$/.test(errorCode(error)),
  );
  return Promise.race([found, Bun.sleep(maxLookupMilliseconds).then(() => false)]);
}
