import { Problem } from "../core/errors.ts";
import { isStorable } from "./body.ts";

const host = /^(?:[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?\.?|\[[0-9a-f:.]+\])(?::[0-9]{0,5})?$/i;

/**
 * The path of a request, as it was sent. Throws a Problem when the Host header is none, or the path is not
 * percent-encoded UTF-8. The address that the server composes from an invalid Host is cut at another place
 * by whoever reads it next, so nothing is decided by it before this check.
 */
export function pathOf(request: Request): string {
  const { url } = request;
  // A request made inside the program has no Host header; its address is whole.
  const name = request.headers.get("host") ?? (url.startsWith("http") ? "localhost" : "");
  if (!host.test(name)) throw new Problem("invalid_host");
  const start = url.indexOf("/", "http://x".length);
  if (start === -1) throw new Problem("malformed_url");
  const query = url.indexOf("?", start);
  const path = query === -1 ? url.slice(start) : url.slice(start, query);
  if (path.includes("%")) decode(path);
  return path;
}

/** Throws a Problem when a query is not percent-encoded UTF-8, or gives one parameter, known or not, twice. */
export function checkQuery(request: Request, known: ReadonlySet<string>): void {
  const start = request.url.indexOf("?");
  if (start === -1) return;
  const seen = new Set<string>();
  for (const pair of request.url.slice(start + 1).split("&")) {
    const [name = "", ...value] = pair.split("=");
    const parameter = decode(name.replaceAll("+", " "));
    decode(value.join("="));
    if (parameter === "" && value.length === 0) continue;
    if (seen.has(parameter)) throw repeatedParameter(parameter, known);
    seen.add(parameter);
  }
}

function decode(encoded: string): string {
  let text: string;
  try {
    text = decodeURIComponent(encoded);
  } catch {
    throw new Problem("malformed_url");
  }
  // The server puts U+FFFD in the place of bytes that are no UTF-8: with it, two addresses would be one.
  if (!isStorable(text) || text.includes("\ufffd")) throw new Problem("malformed_url");
  return text;
}

/** A name that the caller made up is not repeated. */
function repeatedParameter(parameter: string, known: ReadonlySet<string>): Problem {
  if (!known.has(parameter)) return new Problem("invalid_request", { detail: "Give each parameter once." });
  return new Problem("invalid_request", {
    errors: [{ parameter, code: "repeated", detail: "must be given once" }],
  });
}
