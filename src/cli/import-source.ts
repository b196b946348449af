import { UsageError } from "../core/operator-error.ts";
import { unescapeFormula } from "../exports/formats.ts";
import { type ImportMap, mapColumns } from "./import-columns.ts";
import { readCsv } from "./import-csv.ts";
import { readJsonLines } from "./import-json-lines.ts";
import { mapMembers } from "./import-members.ts";
import { hasByteOrderMark, hasInvalidBytes } from "./import-text.ts";
import { readCells } from "./import-values.ts";

/** A line of a file: the row to import, or why there is none. `cells` are its columns in the file. */
export type ImportLine = { line: number; cells: readonly string[] } & (
  | { row: Readonly<Record<string, unknown>> }
  | { fault: string }
);
export type ImportSource = {
  /** The columns of the file. */
  header: readonly string[];
  hasByteOrderMark: boolean;
  lines: AsyncIterable<ImportLine>;
  /** The names of the columns that are not imported; of JSON lines, those that were read so far. */
  ignored: () => string[];
  /** The new attributes that are imported as strings, because nothing says their type. */
  newStrings: readonly string[];
};

/** Opens a file: JSON lines if its name ends in `.jsonl` or `.ndjson`, or else CSV. Throws UsageError. */
export async function openImport(path: string, map: ImportMap): Promise<ImportSource> {
  if (/\.(?:jsonl|ndjson)$/i.test(path)) return openJsonLines(path, map);
  const records = readCsv(path);
  const first = await records.next();
  if (first.done || !("cells" in first.value))
    throw new UsageError(`${path} has no header with the names of its columns.`, "unreadable_file");
  const header = first.value.cells.map((name) => unescapeFormula(name.trim()));
  const { columns, ignored, newStrings } = mapColumns(header, map);

  async function* lines(): AsyncGenerator<ImportLine, void> {
    for await (const record of records) {
      if (!("cells" in record)) {
        yield { ...record, cells: [] };
        continue;
      }
      const { line, cells } = record;
      const fault = faultOf(cells, header.length) ?? invalidBytes(columns.map(({ index }) => cells[index]));
      yield { line, cells, ...(fault === undefined ? readCells(columns, cells) : { fault }) };
    }
  }
  return {
    header,
    hasByteOrderMark: await hasByteOrderMark(path),
    lines: lines(),
    ignored: () => ignored,
    newStrings,
  };
}

/** Columns without a name and a value at the end of a line are ignored. */
function faultOf(cells: readonly string[], columnCount: number): string | undefined {
  if (cells.length === columnCount) return undefined;
  if (cells.length > columnCount && cells.slice(columnCount).every((cell) => cell === "")) return undefined;
  return `the line has ${cells.length} columns, the header ${columnCount}`;
}

function invalidBytes(texts: readonly unknown[]): string | undefined {
  const isInvalid = texts.some((text) => typeof text === "string" && hasInvalidBytes(text));
  return isInvalid ? "the line has bytes that are not UTF-8: convert the file" : undefined;
}

async function openJsonLines(path: string, map: ImportMap): Promise<ImportSource> {
  const ignored = new Set<string>();
  const readMembers = mapMembers(map, ignored);

  async function* lines(): AsyncGenerator<ImportLine, void> {
    for await (const { line, text, ...read } of readJsonLines(path)) {
      const fault = "fault" in read ? read.fault : invalidBytes([text]);
      if (fault !== undefined) yield { line, cells: [text], fault };
      else if ("members" in read) yield { line, cells: [text], ...readMembers(read.members) };
    }
  }
  return {
    header: ["content"],
    hasByteOrderMark: await hasByteOrderMark(path),
    lines: lines(),
    ignored: () => [...ignored],
    newStrings: [],
  };
}
