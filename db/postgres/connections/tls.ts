import { readFileSync } from "node:fs";
import { EngineBusy, errorCode, UnusableDatabase } from "../../errors.ts";

export type TlsOptions = { url: string; tls?: false | { rejectUnauthorized: boolean; ca?: string[] } };

const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];
/** Parameters of other programs for the mode. */
const otherNames = /^(?:ssl[-_]?mode|ssl|tls)$/i;

/**
 * The URL and the options as libpq reads `sslmode` and `sslrootcert`; default: prefer. The driver alone differs:
 * NODE_TLS_REJECT_UNAUTHORIZED=0 turns verify-full off, `sslrootcert` turns disable into verify-full, and verify-ca
 * without it trusts every public authority. Throws UnusableDatabase.
 */
export function tlsOptionsOf(text: string): TlsOptions {
  const url = new URL(text);
  const { mode, root } = modeOf(url.searchParams);
  for (const name of ["ssl", "sslrootcert"]) url.searchParams.delete(name);
  url.searchParams.set("sslmode", mode);
  const { href } = url;
  if (mode === "disable") return { url: href, tls: false };
  if (mode === "allow" || mode === "prefer") return { url: href };
  if (mode === "require") return { url: href, tls: { rejectUnauthorized: false } };
  const ca = root === "system" ? systemAuthorities() : [readAuthorities(root)];
  // With an empty list, the driver would trust its own one.
  if (ca.length === 0) throw new UnusableDatabase("The system has no authorities: set sslrootcert=FILE.");
  return { url: href, tls: { rejectUnauthorized: true, ca } };
}

function modeOf(parameters: URLSearchParams): { mode: string; root: string } {
  for (const [name, value] of parameters)
    if (otherNames.test(name) && name !== "sslmode" && !(name === "ssl" && value === "true"))
      throw new UnusableDatabase(`The URL of the database has the parameter ${name}: write sslmode=MODE.`);
  const root = parameters.get("sslrootcert") ?? "";
  const fallback = parameters.has("ssl") ? "require" : "prefer";
  const mode = parameters.getAll("sslmode").at(-1) || (root === "system" ? "verify-full" : fallback);
  if (!modes.includes(mode)) throw new UnusableDatabase(`sslmode must be one of ${modes.join(", ")}.`);
  if (root === "system" && mode !== "verify-full")
    throw new UnusableDatabase("sslrootcert=system needs sslmode=verify-full.");
  if (mode === "verify-full") return { mode, root: root || "system" };
  if (mode === "verify-ca" && root === "")
    throw new UnusableDatabase("sslmode=verify-ca needs sslrootcert=FILE.");
  return { mode: mode === "require" && root !== "" ? "verify-ca" : mode, root };
}

function systemAuthorities(): string[] {
  // An import would load the module at every start, also of SQLite.
  return process.getBuiltinModule("node:tls").getCACertificates("system");
}

function readAuthorities(file: string): string {
  let text = "";
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UnusableDatabase(`The file of sslrootcert, ${file}, cannot be read: ${errorCode(error)}.`);
  }
  if (text.includes("-----BEGIN CERTIFICATE-----")) return text;
  throw new UnusableDatabase(`The file of sslrootcert, ${file}, has no certificate in PEM format.`);
}

/** An error of TLS with what to do; any other error unchanged. */
export function explainTlsError(error: unknown, host: string): unknown {
  const code = errorCode(error);
  const reason = error instanceof Error ? error.message : "";
  if (code === "ERR_POSTGRES_TLS_NOT_AVAILABLE")
    return new EngineBusy(`${host} does not offer TLS: turn it on there, or set sslmode=disable.`);
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return new EngineBusy(
      `The certificate of the server is not for ${host}: connect to a name that is in it.`,
    );
  if (/^(?:UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|CERT_|INVALID_CA|PATH_LENGTH_)/.test(code))
    return new EngineBusy(
      `The certificate of ${host} is not trusted (${reason}): set sslrootcert to the file of its authority.`,
    );
  return error;
}
