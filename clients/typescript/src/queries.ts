/**
 * The query of a URL. A list becomes one parameter, its values separated by commas, `\` before a comma or a backslash in a
 * value. The members of an object become parameters: `{ "attributes.seats[gt]": "5" }`. Undefined and null are left out.
 */
export function serializeQuery(query: Record<string, unknown>): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    if (Array.isArray(value)) pairs.push(pairOf(name, value.map(escapeItem).join(",")));
    // Safe: the only other objects of the API's parameters are records of texts.
    else if (typeof value === "object") pairs.push(serializeQuery(value as Record<string, unknown>));
    else pairs.push(pairOf(name, String(value)));
  }
  return pairs.filter((pair) => pair !== "").join("&");
}

function pairOf(name: string, value: string): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
}

function escapeItem(item: unknown): string {
  return String(item).replace(/[\\,]/g, "\\$&");
}
