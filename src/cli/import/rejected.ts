import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { errorCode } from "../../../db/errors.ts";
import { UsageError } from "../../core/settings/operator-error.ts";
import { CsvFile } from "../../shared/imports/csv-file.ts";
import { encodeText, type FileEncoding } from "../../shared/imports/encodings.ts";
import { RejectedText, resourceColumn, unusedName } from "../../shared/imports/rejected-lines.ts";
import { maxBodyBytes } from "../../shared/request-limits.ts";
import { type FileRows, fileRows } from "../../shared/resources.ts";
import type { ImportSource } from "./source.ts";
import { describeFileError } from "./text.ts";

type RejectedSource = Pick<ImportSource, "header" | "isJsonLines" | "hasByteOrderMark" | "encoding">;
/** A dry run prints so many reasons. */
const maxFirst = 20;

/**
 * Whether a file of rejected lines is of this resource. Also a file that does not exist, or cannot be read. `columnCount`
 * is the number of columns of the imported file: rejected accounts have two more.
 */
function isOfResource(path: string, resource: FileRows, columnCount: number): boolean {
  const start = readStart(path);
  if (start === undefined) return true;
  if (path.endsWith(".jsonl")) return (resourceOfJson(start) ?? resource) === resource;
  // An earlier import may have had another encoding: without NUL and marks of UTF-16, these names are equal in all of them.
  const file = new CsvFile("windows-1252");
  let cells: readonly string[] = [];
  try {
    const [first] = file.read(
      start.filter((byte) => byte !== 0 && byte < 0xfe),
      true,
    );
    cells = first?.cells ?? [];
  } catch {
    return true;
  }
  const names = file.header?.names ?? [];
  // The column precedes the number of the line and the reason.
  const index = names.length - 3;
  const isNamed = names.length !== columnCount + 2 && names[index]?.startsWith(resourceColumn);
  const found = fileRows.find((name) => isNamed && name === cells.at(-3)) ?? "accounts";
  return found === resource;
}

function readStart(path: string): Uint8Array | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const bytes = new Uint8Array(maxBodyBytes);
    return bytes.subarray(0, readSync(file, bytes));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * A rejected line of JSON lines: the object as it was, with the members `resource`, `line` and `reason`, or `line 2` if it
 * has this name. A line that is no object is the member `content` of one.
 */
function rejectedJson(text: string, added: { resource: FileRows; line: number; reason: string }): string {
  const object = asObjectText(text) ?? JSON.stringify({ content: text.trim() });
  const names = Object.keys(JSON.parse(object));
  const own = Object.entries(added).map(
    ([name, value]) => `${JSON.stringify(unusedName(name, names))}:${JSON.stringify(value)}`,
  );
  const members = object.slice(0, -1).trimEnd();
  return `${members}${names.length === 0 ? "" : ","}${own.join(",")}}\n`;
}

/** The resource of a file that `rejectedJson` wrote in any encoding, by its first bytes. */
function resourceOfJson(start: Uint8Array): unknown {
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

/** Opens a new file instead of one of an earlier import. The target of a symbolic link with its name stays as it is. */
function createFile(path: string): number {
  rmSync(path, { force: true });
  return openSync(path, "wx", 0o600);
}

/**
 * The rejected lines of FILE, in `FILE.rejected.csv`, or `FILE.rejected.jsonl` for JSON lines; if that is the file of
 * another resource, in `FILE.RESOURCE.rejected.csv`, which replaces the one of an earlier import. A dry run changes no
 * file. The constructor throws UsageError if the file cannot be written.
 */
export class RejectedLines {
  readonly #path: string;
  readonly #mark: string;
  readonly #encoding: FileEncoding | undefined;
  readonly #text: Pick<RejectedText, "header" | "line">;
  readonly #isDryRun: boolean;
  readonly first: { line: number; reason: string }[] = [];
  #file: number | undefined;

  constructor(
    path: string,
    { header, isJsonLines, hasByteOrderMark, encoding }: RejectedSource,
    { resource, isDryRun }: { resource: FileRows; isDryRun: boolean },
  ) {
    const extension = isJsonLines ? "jsonl" : "csv";
    const ownPath = `${path}.${resource}.rejected.${extension}`;
    this.#path = `${path}.rejected.${extension}`;
    this.#mark = hasByteOrderMark ? "\uFEFF" : "";
    // The command that wrote the file can import it, so it has the mark or the chosen encoding.
    this.#encoding = hasByteOrderMark ? undefined : encoding;
    const columns: Record<string, string> = resource === "accounts" ? {} : { [resourceColumn]: resource };
    this.#text = isJsonLines
      ? {
          header: () => "",
          line: ([text = ""], line, reason) => rejectedJson(text, { resource, line, reason }),
        }
      : new RejectedText(header, columns);
    this.#isDryRun = isDryRun;
    if (isDryRun) return;
    if (isOfResource(this.#path, resource, header.names.length)) rmSync(ownPath, { force: true });
    else this.#path = ownPath;
    try {
      closeSync(createFile(this.#path));
      rmSync(this.#path);
    } catch (error) {
      const reason = describeFileError(errorCode(error));
      throw new UsageError(
        `${this.#path}, the file for rejected lines, ${reason}. Import from a folder that you can write to.`,
        "unwritable_file",
      );
    }
  }

  /** The path of the file, or null if it does not exist. */
  get path(): string | null {
    return this.#file === undefined ? null : this.#path;
  }

  add(cells: readonly string[], line: number, reason: string): void {
    if (this.first.length < maxFirst) this.first.push({ line, reason });
    if (this.#isDryRun) return;
    if (this.#file === undefined) {
      this.#file = createFile(this.#path);
      this.#write(this.#mark + this.#text.header());
    }
    this.#write(this.#text.line(cells, line, reason));
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }

  #write(text: string): void {
    if (this.#file !== undefined) writeSync(this.#file, encodeText(text, this.#encoding));
  }
}
