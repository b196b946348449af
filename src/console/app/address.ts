/** The checks of a page's parameters: whether the page can read the whole value. */
export type ParameterRules = Readonly<Record<string, (value: string) => boolean>>;

/** `ignored`: the parameters that the page does not read. `rest`: the query without them. */
export type AddressCheck = { ignored: string[]; rest: URLSearchParams };

/** The longest text that the API searches for. */
export const maxSearchLength = 255;

export function isSearch(value: string): boolean {
  return value.length <= maxSearchLength;
}

/** The text to search for of a query; cut where it is too long. */
export function searchOf(query: URLSearchParams): string {
  return (query.get("search") ?? "").slice(0, maxSearchLength);
}

export type SortOrder = "asc" | "desc";
export type TableOrder = { sortBy: string; sortOrder: SortOrder };

export function isSortOrder(value: string): value is SortOrder {
  return value === "asc" || value === "desc";
}

/** Of several values of one parameter, a page reads the first. */
export function checkParameters(query: URLSearchParams, rules: ParameterRules): AddressCheck {
  const ignored = new Set<string>();
  const seen = new Set<string>();
  const rest = new URLSearchParams();
  for (const [name, value] of query) {
    const isRead = Object.hasOwn(rules, name) && !seen.has(name) && rules[name]?.(value) === true;
    seen.add(name);
    if (isRead) rest.append(name, value);
    else ignored.add(`${name}=${value}`);
  }
  return { ignored: [...ignored], rest };
}
