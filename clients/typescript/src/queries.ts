/**
 * The query of a URL. A list becomes one parameter, its values separated by commas, `\` before a comma or a backslash in a
 * value. The members of `attributes`, such as `{ "seats.gt": "5" }`, become parameters. Undefined and null are left out.
 */
export function serializeQuery(query: Record<string, unknown>): string {
  return pairsOf(query, "").join("&");
}

function pairsOf(query: object, prefix: string): string[] {
  return Object.entries(query).flatMap(([key, value]: [string, unknown]) => {
    const name = key.startsWith(prefix) ? key : prefix + key;
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return pairOf(name, value.map(escapeItem).join(","));
    return typeof value === "object" ? pairsOf(value, `${name}.`) : pairOf(name, String(value));
  });
}

function pairOf(name: string, value: string): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
}

function escapeItem(item: unknown): string {
  return String(item).replace(/[\\,]/g, "\\$&");
}
