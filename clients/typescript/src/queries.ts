/**
 * The query of a URL. A list becomes one parameter, its values separated by commas, `\` before a comma or a backslash in a
 * value. The members of `attributes`, such as `{ "seats.gt": "5" }`, become parameters. Undefined and null are left out.
 */
export function serializeQuery(query: Record<string, unknown>): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    if (Array.isArray(value)) pairs.push(pairOf(name, value.map(escapeItem).join(",")));
    else if (typeof value === "object")
      for (const [member, text] of Object.entries(value))
        pairs.push(pairOf(member.startsWith(`${name}.`) ? member : `${name}.${member}`, String(text)));
    else pairs.push(pairOf(name, String(value)));
  }
  return pairs.join("&");
}

function pairOf(name: string, value: string): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
}

function escapeItem(item: unknown): string {
  return String(item).replace(/[\\,]/g, "\\$&");
}
