import { ATTRIBUTES_PARAMETER } from "../../core/attributes/attributes.ts";
import { attributeOperators, isAttributeFilter } from "../../core/attributes/filters.ts";
import { Problem } from "../../core/errors.ts";
import { isStorable } from "../body/body.ts";
import { describeUnknownNames } from "../validation/unknown-names.ts";
import type { RouteMatch } from "./route-table.ts";

const host = /^(?:[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?\.?|\[[0-9a-f:.]+\])(?::[0-9]{0,5})?$/i;

/**
 * The path of a request, as it was sent. Throws a Problem when the Host header is invalid, or the path is not
 * percent-encoded UTF-8. The server composes `url` from Host, and an invalid Host moves where the path begins:
 * check it before anything is decided by the path.
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
  if (path.includes("%")) decodeUrl(path);
  return path;
}

/** The filters by an attribute with operators. */
const attributeParameters = attributeOperators.map((operator) => `${ATTRIBUTES_PARAMETER}[${operator}]`);

/**
 * Throws a Problem when a query is not percent-encoded UTF-8, has a parameter of the operation twice, or, where the
 * route is strict, has a parameter that the operation does not have.
 */
export function checkQuery(
  request: Request,
  { parameters, isStrict, hasAttributes }: Pick<RouteMatch, "parameters" | "isStrict" | "hasAttributes">,
): void {
  const start = request.url.indexOf("?");
  if (start === -1) return;
  const isKnown = (name: string) => parameters.has(name) || (hasAttributes && isAttributeFilter(name));
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const pair of request.url.slice(start + 1).split("&")) {
    const [name = "", ...value] = pair.split("=");
    const parameter = decodeUrl(name.replaceAll("+", " "));
    decodeUrl(value.join("="), { canHaveReplacement: parameter === "search" });
    if (parameter === "" && value.length === 0) continue;
    if (seen.has(parameter) && isKnown(parameter)) repeated.add(parameter);
    seen.add(parameter);
  }
  if (repeated.size > 0) throw repeatedParameters(repeated);
  const ofAttributes = hasAttributes ? attributeParameters : [];
  const unknown = isStrict ? [...seen].filter((name) => !isKnown(name)) : [];
  if (unknown.length > 0) throw unknownParameters(unknown, [...parameters, ...ofAttributes]);
}

/**
 * The server replaces a raw byte that is not UTF-8 by `%EF%BF%BD`, which is also how a caller writes U+FFFD. It is
 * rejected where two addresses would become one. A search for it is harmless, and finds the names that contain it.
 */
export function decodeUrl(encoded: string, { canHaveReplacement = false } = {}): string {
  let text = encoded;
  try {
    if (encoded.includes("%")) text = decodeURIComponent(encoded);
  } catch {
    throw new Problem("malformed_url");
  }
  if (!isStorable(text) || (!canHaveReplacement && text.includes("\ufffd")))
    throw new Problem("malformed_url");
  return text;
}

function repeatedParameters(parameters: ReadonlySet<string>): Problem {
  const violation = { code: "repeated", detail: "must be given once" } as const;
  return new Problem("invalid_request", {
    errors: [...parameters].map((parameter) => ({ parameter, ...violation })),
  });
}

/** The unknown names are the caller's text, and are not repeated. */
function unknownParameters(unknown: readonly string[], valid: readonly string[]): Problem {
  if (valid.length === 0) return new Problem("unknown_parameter");
  return new Problem("unknown_parameter", {
    detail: describeUnknownNames("query parameter", unknown, valid),
  });
}
