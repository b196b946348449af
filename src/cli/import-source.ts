import { UsageError } from "../core/operator-error.ts";
import type { ImportedResource } from "../imports/rows.ts";
import { mapColumns, type NamedTarget, readCells } from "./import-columns.ts";
import { readCsv } from "./import-csv.ts";
import { readJsonLines } from "./import-json-lines.ts";
import { mapMembers } from "./import-members.ts";
import { hasInvalidBytes } from "./import-text.ts";

/** A line of a file: the row to import, or why there is none. `cells` are its columns in the file. */
export type ImportLine = { line: number; cells: readonly string[] } & (
  | { row: Readonly<Record<string, unknown>> }
  | { fault: string }
);
export type ImportSource = {
  /** The columns of the file. */
  header: readonly string[];
  lines: AsyncIterable<ImportLine>;
  /** The names of the columns that are not imported; of JSON lines, those that were read so far. */
  ignored: () => string[];
};

/** Opens a file: JSON lines if its name ends in `.jsonl` or `.ndjson`, or else CSV. Throws UsageError. */
export async function openImport(
  path: string,
  targets: readonly NamedTarget[],
  resource: ImportedResource,
): Promise<ImportSource> {
  if (/\.(?:jsonl|ndjson)$/i.test(path)) return openJsonLines(path, targets, resource);
  const records = readCsv(path);
  const first = await records.next();
  if (first.done || !("cells" in first.value))
    throw new UsageError(`${path} has no header with the names of its columns.`, "unreadable_file");
  const header = first.value.cells.map((name) => name.trim());
  const { columns, ignored } = mapColumns(header, targets, resource);

  async function* lines(): AsyncGenerator<ImportLine, void> {
    for await (const record of records) {
      if (!("cells" in record)) {
        yield { ...record, cells: [] };
        continue;
      }
      const { line, cells } = record;
      const fault = faultOf(cells, header.length) ?? invalidBytes(columns.map(({ index }) => cells[index]));
      yield fault === undefined ? { line, cells, row: readCells(columns, cells) } : { line, cells, fault };
    }
  }
  return { header, lines: lines(), ignored: () => ignored };
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

function openJsonLines(
  path: string,
  targets: readonly NamedTarget[],
  resource: ImportedResource,
): ImportSource {
  const ignored = new Set<string>();
  const map = mapMembers(targets, resource, ignored);

  async function* lines(): AsyncGenerator<ImportLine, void> {
    for await (const { line, text, ...read } of readJsonLines(path)) {
      const cells = [text];
      if ("fault" in read) {
        yield { line, cells, fault: read.fault };
        continue;
      }
      const row = map(read.members);
      const fault = invalidBytes(Object.values(row));
      yield fault === undefined ? { line, cells, row } : { line, cells, fault };
    }
  }
  return { header: ["content"], lines: lines(), ignored: () => [...ignored] };
}
