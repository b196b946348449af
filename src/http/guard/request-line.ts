import { ATTRIBUTES_PARAMETER } from "../../core/attributes/attributes.ts";
import { attributeOperators, isAttributeFilter, isAttributeList } from "../../core/attributes/filters.ts";
import { Problem } from "../../core/errors.ts";
import { isStorable } from "../body/body.ts";
import { describeUnknownNames } from "../validation/unknown-names.ts";
import type { RouteMatch } from "./route-table.ts";

export const hostPattern = /^(?:[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?\.?|\[[0-9a-f:.]+\])(?::[0-9]{0,5})?$/i;

/**
 * The path of a request, as it was sent. Throws a Problem when the Host header is invalid, or the path is not
 * percent-encoded UTF-8. The server composes `url` from Host, and an invalid Host moves where the path begins:
 * check it before anything is decided by the path.
 */
export function pathOf(request: Request): string {
  const { url } = request;
  // A request made inside the program has no Host header; its address is whole.
  const name = request.headers.get("host") ?? (url.startsWith("http") ? "localhost" : "");
  if (!hostPattern.test(name)) throw new Problem("invalid_host");
  const start = url.indexOf("/", "http://x".length);
  if (start === -1) throw new Problem("malformed_url");
  const query = url.indexOf("?", start);
  const path = query === -1 ? url.slice(start) : url.slice(start, query);
  if (path.includes("%")) decodeUrl(path);
  return path;
}

/** The filters by an attribute with operators. */
const attributeParameters = attributeOperators.map((operator) => `${ATTRIBUTES_PARAMETER}.${operator}`);

/** A query in the spelling of the document, and the sent names of the parameters that had another spelling. */
type RewrittenQuery = { query: string; sentNames: ReadonlyMap<string, string> };

/**
 * Throws a Problem when a query is not percent-encoded UTF-8, has a parameter of the operation twice that is no list, or,
 * where the route is strict, has a parameter that the operation does not have. Returns the query if its
 * parameters have another spelling than in the document: `mrr[gte]` for `mrr.gte`, `attributes[plan]` for `attributes.plan`, and a list as
 * `status=a&status=b` or `status[]=a` for `status=a,b`.
 */
export function checkQuery(
  request: Request,
  route: Pick<RouteMatch, "parameters" | "lists" | "isStrict" | "hasAttributes">,
): RewrittenQuery | undefined {
  const { parameters, isStrict, hasAttributes } = route;
  const start = request.url.indexOf("?");
  if (start === -1) return undefined;
  const isKnown = (name: string) => parameters.has(name) || (hasAttributes && isAttributeFilter(name));
  const isList = (name: string) => route.lists.has(name) || (hasAttributes && isAttributeList(name));
  /** The encoded values of known parameters, by name. */
  const values = new Map<string, string[]>();
  const sentNames = new Map<string, string>();
  /** The repeated parameters that are no lists, with the list parameter of the same field. */
  const repeated = new Map<string, string | undefined>();
  const unknown = new Set<string>();
  const others: string[] = [];
  for (const pair of request.url.slice(start + 1).split("&")) {
    const [encodedName = "", ...rest] = pair.split("=");
    const sent = decodeUrl(encodedName.replaceAll("+", " "));
    const value = rest.join("=");
    decodeUrl(value, { canHaveReplacement: sent === "search" });
    if (sent === "" && rest.length === 0) continue;
    const name = isKnown(sent) ? sent : documentedName(sent, isKnown, isList);
    if (name === undefined) {
      unknown.add(sent);
      others.push(pair);
      continue;
    }
    if (name !== sent) sentNames.set(name, sent);
    const before = values.get(name);
    if (before !== undefined && !isList(name))
      repeated.set(sent, isKnown(`${name}.in`) ? `${name}.in` : undefined);
    if (before !== undefined) sentNames.set(name, sent);
    if (before === undefined) values.set(name, [value]);
    else before.push(value);
  }
  if (repeated.size > 0) throw repeatedParameters(repeated);
  const ofAttributes = hasAttributes ? attributeParameters : [];
  if (isStrict && unknown.size > 0) throw unknownParameters([...unknown], [...parameters, ...ofAttributes]);
  if (sentNames.size === 0) return undefined;
  const query = [...others, ...[...values].map(([name, items]) => `${name}=${joinItems(items)}`)].join("&");
  return { query, sentNames };
}

const openEscape = /(?<!%5c|\\)(?:(?:%5c|\\){2})*(?:%5c|\\)$/i;

/** The encoded list of encoded items. The last backslash of an item does not escape the comma after it. */
function joinItems(items: readonly string[]): string {
  const last = items.length - 1;
  return items.map((item, i) => (i < last && openEscape.test(item) ? `${item}%5C` : item)).join(",");
}

const brackets = /^([^[\]]+)((?:\[[^[\]]*\])+)$/;

/** The name of a parameter in the document that is written with brackets. Undefined for another name. */
function documentedName(
  sent: string,
  isKnown: (name: string) => boolean,
  isList: (name: string) => boolean,
): string | undefined {
  const [, base = "", inBrackets = ""] = brackets.exec(sent) ?? [];
  if (base === "") return undefined;
  const parts = inBrackets.slice(1, -1).split("][");
  // `status[]` and `status[0]` are items of a list.
  const isItem = /^\d*$/.test(parts.at(-1) ?? "");
  const name = [base, ...(isItem ? parts.slice(0, -1) : parts)].join(".");
  return (isItem ? isList(name) : isKnown(name)) ? name : undefined;
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

function repeatedParameters(parameters: ReadonlyMap<string, string | undefined>): Problem {
  return new Problem("invalid_request", {
    errors: [...parameters].map(([parameter, list]) => {
      const advice = list === undefined ? "" : `: ${list} takes several values, separated by commas`;
      return { parameter, code: "repeated", detail: `must be given once${advice}` } as const;
    }),
  });
}

/** The unknown names are the caller's text, and are not repeated. */
function unknownParameters(unknown: readonly string[], valid: readonly string[]): Problem {
  if (valid.length === 0) return new Problem("unknown_parameter");
  return new Problem("unknown_parameter", {
    detail: describeUnknownNames("query parameter", unknown, valid),
  });
}
