import { unusedName } from "../../shared/imports/rejected-lines.ts";
import type { FileRows } from "../../shared/resources.ts";

/**
 * A rejected line of JSON lines: the object as it was, with the members `resource`, `line` and `reason`, or `line 2` if it
 * has this name. A line that is no object is the member `content` of one.
 */
export function rejectedJson(
  text: string,
  added: { resource: FileRows; line: number; reason: string },
): string {
  const object = asObjectText(text) ?? JSON.stringify({ content: text.trim() });
  const names = Object.keys(JSON.parse(object));
  const own = Object.entries(added).map(
    ([name, value]) => `${JSON.stringify(unusedName(name, names))}:${JSON.stringify(value)}`,
  );
  const members = object.slice(0, -1).trimEnd();
  return `${members}${names.length === 0 ? "" : ","}${own.join(",")}}\n`;
}

/** The resource of a file that `rejectedJson` wrote in any encoding, by its first bytes. */
export function resourceOfJson(start: Uint8Array): unknown {
  const [line = ""] = Buffer.from(start).toString("latin1").replaceAll("\0", "").split("\n");
  try {
    return Object.values(JSON.parse(line.slice(line.indexOf("{")))).at(-3);
  } catch {
    return undefined;
  }
}

/** The text without blanks around it if it is an object: numbers keep their digits. */
function asObjectText(text: string): string | undefined {
  const trimmed = text.trim();
  try {
    JSON.parse(trimmed);
  } catch {
    return undefined;
  }
  return trimmed.startsWith("{") ? trimmed : undefined;
}
