import { unusedName } from "../../shared/imports/rejected-lines.ts";
import type { FileRows } from "../../shared/resources.ts";

/**
 * Rejected lines of JSON lines: the objects as they were, with the members `resource`, `line` and `reason`, or
 * `line 2` if an object has this name. A line that is no object is the member `content` of one.
 */
export class RejectedJson {
  readonly #resource: FileRows;

  constructor(resource: FileRows) {
    this.#resource = resource;
  }

  header(): string {
    return "";
  }

  line([text = ""]: readonly string[], line: number, reason: string): string {
    const object = asObjectText(text) ?? JSON.stringify({ content: text.trim() });
    const names = Object.keys(JSON.parse(object));
    const own = Object.entries({ resource: this.#resource, line, reason }).map(
      ([name, value]) => `${JSON.stringify(unusedName(name, names))}:${JSON.stringify(value)}`,
    );
    const members = object.slice(0, -1).trimEnd();
    return `${members}${names.length === 0 ? "" : ","}${own.join(",")}}\n`;
  }
}

/** The resource of a file that `RejectedJson` wrote in any encoding, by its first bytes. */
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
