import { isInexact } from "../../shared/cells.ts";
import { maxShownLength } from "../../shared/imports/csv.ts";
import { type FileEncoding, hasInvalidBytes, invalidBytesFault } from "../../shared/imports/encodings.ts";
import { startBytes } from "../../shared/imports/file-decoder.ts";
import { rowCountOfEndLine } from "../../shared/imports/import-lines.ts";
import { maxBodyBytes, maxJsonDepth } from "../../shared/request-limits.ts";
import { readText } from "./text.ts";

/** A line of a file of JSON lines, which has an object. `line` counts from 1. */
type JsonLine = { line: number; text: string } & (
  | { members: Readonly<Record<string, unknown>> }
  | { fault: string }
);

/** The lines of the file that are not blank. Throws UsageError for a file that cannot be read. */
export async function* readJsonLines(path: string, encoding?: FileEncoding): AsyncGenerator<JsonLine, void> {
  let line = 0;
  let rest = "";
  let isTooLong = false;
  for await (const part of readText(path, encoding)) {
    const lines = (rest + part).split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) {
      line += 1;
      yield* readLine(line, text, isTooLong);
      isTooLong = false;
    }
    if (rest.length <= maxBodyBytes) continue;
    // Its end is still to be found.
    isTooLong = true;
    rest = rest.slice(0, maxBodyBytes);
  }
  yield* readLine(line + 1, rest, isTooLong);
}

/** Whether the file ends in the last line of an export. True for a file that cannot be read: its reader reports that. */
export async function hasEndLine(path: string): Promise<boolean> {
  const file = Bun.file(path);
  if (!(await file.exists())) return true;
  const end = file.slice(Math.max(0, file.size - startBytes));
  const text = await end.text().catch(() => undefined);
  if (text === undefined) return true;
  const [last] = readLine(0, text.trimEnd().split("\n").at(-1) ?? "", false);
  return last !== undefined && "members" in last && rowCountOfEndLine(last.members) !== undefined;
}

function* readLine(line: number, text: string, isTooLong: boolean): Generator<JsonLine, void> {
  if (text.trim() === "") return;
  if (isTooLong || text.length > maxBodyBytes) {
    yield { line, text: text.slice(0, maxShownLength), fault: "the line has more than 1 MiB" };
    return;
  }
  if (hasInvalidBytes(text)) {
    yield { line, text, fault: invalidBytesFault };
    return;
  }
  let value: unknown;
  try {
    value = JSON.parse(text, /\d{16}/.test(text) ? markInexact : undefined);
  } catch {
    yield { line, text, fault: "the line is not JSON" };
    return;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    yield { line, text, fault: "the line is not a JSON object" };
  else if (isDeeper(value, maxJsonDepth))
    yield { line, text, fault: `the line is nested deeper than ${maxJsonDepth}` };
  // Safe: an object has members, of unknown values.
  else yield { line, text, members: value as Record<string, unknown> };
}

/** A reviver: NaN for a number that has other digits than its text. Other lines are parsed without it, which is faster. */
function markInexact(_name: string, value: unknown, { source = "" }: { source?: string } = {}): unknown {
  return typeof value === "number" && isInexact(source) ? Number.NaN : value;
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1));
}
