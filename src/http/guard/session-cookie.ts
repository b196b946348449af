import { type FieldViolation, Problem, unauthorized } from "../../core/errors.ts";

const cookieName = "accountd_session";
/**
 * Over TLS. Browsers accept the prefix `__Host-` only from this host over TLS, so neither another host of the domain
 * nor a page without TLS can set the cookie.
 */
const secureCookieName = `__Host-${cookieName}`;
/** A page of another origin cannot send this header without a preflight, which the service does not allow. */
const consoleHeader = "x-accountd-console";
/** The id of the key that a tab of the console shows. All tabs of a browser have one cookie. */
const keyHeader = "x-accountd-key";

/**
 * The token of the session in the cookie of a request of the console's script; empty when another page sent it, and
 * without a session. `isSecure`: the client sent the request over TLS.
 */
export function readSessionToken(headers: Headers, isSecure: boolean): string {
  if (violationOf(headers)) return "";
  const name = nameOf(isSecure);
  for (const pair of (headers.get("cookie") ?? "").split(";")) {
    const nameEnd = pair.indexOf("=");
    if (pair.slice(0, nameEnd).trim() === name) return pair.slice(nameEnd + 1).trim();
  }
  return "";
}

function nameOf(isSecure: boolean): string {
  return isSecure ? secureCookieName : cookieName;
}

/** Throws `invalid_request` unless the console's script sent the request. */
export function assertFromConsole(headers: Headers): void {
  const violation = violationOf(headers);
  if (violation) throw new Problem("invalid_request", { errors: [violation] });
}

/**
 * Throws `unauthorized` if the headers have another id than the key of the session: the browser has signed in
 * with another key since the page was opened.
 */
export function assertKeyOfSession(headers: Headers, keyId: number): void {
  const expected = headers.get(keyHeader);
  if (expected === null || expected === String(keyId)) return;
  throw unauthorized("This browser has signed in with another key since. Reload the page.");
}

function violationOf(headers: Headers): FieldViolation | undefined {
  if (headers.get(consoleHeader) !== "1")
    return { header: consoleHeader, code: "required", detail: "must be 1" };
  // Set by browsers, for secure origins only.
  const site = headers.get("sec-fetch-site");
  if (site === null || site === "same-origin") return undefined;
  return { header: "sec-fetch-site", code: "not_allowed", detail: "must be same-origin" };
}

/** `Set-Cookie` for a session. With a `maxAgeSeconds` of 0, the browser deletes the cookie. */
export function sessionCookie(token: string, maxAgeSeconds: number, isSecure: boolean): string {
  const attributes = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}`;
  return `${nameOf(isSecure)}=${token}; ${attributes}${isSecure ? "; Secure" : ""}`;
}
