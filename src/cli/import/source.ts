import { OperatorError, UsageError } from "../../core/settings/operator-error.ts";
import { maxGuessLength, maxGuessRows } from "../../shared/imports/column-guess.ts";
import { ColumnScan } from "../../shared/imports/column-scan.ts";
import type { CsvRecord } from "../../shared/imports/csv.ts";
import { CsvFile, type CsvHeader } from "../../shared/imports/csv-file.ts";
import type { FileEncoding } from "../../shared/imports/encodings.ts";
import { type FileLine, rowCountOfEndLine } from "../../shared/imports/import-lines.ts";
import { type ImportTable, readRecord } from "../../shared/imports/import-table.ts";
import { type ColumnReport, mapColumns } from "./columns.ts";
import { describeTable } from "./format-notes.ts";
import { hasEndLine, readJsonLines } from "./json-lines.ts";
import type { ImportMap } from "./map.ts";
import { type MemberNotes, mapMembers, unfilledFields } from "./members.ts";
import { asUnreadable, hasByteOrderMark, readBytes } from "./text.ts";

export type ImportSource = {
  header: CsvHeader;
  isJsonLines: boolean;
  hasByteOrderMark: boolean;
  /** The encoding of a file without a byte-order mark, if it was chosen. */
  encoding?: FileEncoding | undefined;
  lines: AsyncIterable<FileLine>;
  /** What each column is imported as; of JSON lines, nothing. */
  mapping: readonly ColumnReport[];
  /** How the columns are read, and what their first rows show; of JSON lines, nothing. */
  table: ImportTable | undefined;
  /** What the first rows show, and what to choose. */
  notes: readonly string[];
  /** The names of the columns that are not imported; of JSON lines, those that were read so far. */
  ignored: () => string[];
  /** The columns of options that no line of JSON lines has had so far. */
  missing: () => string[];
  /** The fields that no column fills, although `--map` has a column with their name. */
  unfilled: readonly string[];
  /** The column that is read as `accountExternalId` although its name is `account_id` or similar. */
  accountColumn: () => string | undefined;
};

type OpenImportOptions = { demandsEndLine?: boolean; encoding?: FileEncoding | undefined };

/**
 * Opens a file: JSON lines if its name ends in `.jsonl` or `.ndjson`, or else CSV. Throws UsageError, also if
 * `demandsEndLine` and the file does not end in the last line of an export.
 */
export async function openImport(
  path: string,
  map: ImportMap,
  { demandsEndLine = false, encoding }: OpenImportOptions = {},
): Promise<ImportSource> {
  const isJsonLines = /\.(?:jsonl|ndjson)$/i.test(path);
  if (demandsEndLine && !(isJsonLines && (await hasEndLine(path))))
    throw new UsageError(
      `${path} does not end in {"end":true,"rows":N}, as an export of JSON lines with end=true does: it is incomplete, or was exported without it.`,
      "unreadable_file",
    );
  return { ...(await (isJsonLines ? openJsonLines : openCsv)(path, map, encoding)), encoding };
}

async function openCsv(path: string, map: ImportMap, encoding?: FileEncoding): Promise<ImportSource> {
  const file = new CsvFile(encoding);
  const parts = readCsv(path, file);
  const first: CsvRecord[] = [];
  let length = 0;
  while (first.length < maxGuessRows && length < maxGuessLength) {
    const part = await parts.next();
    if (part.done) break;
    first.push(...part.value);
    for (const cell of part.value.flatMap(({ cells }) => cells)) length += cell.length;
  }
  const { header } = file;
  if (!header) throw new Error("the first part follows the header");
  const samples = first.slice(0, maxGuessRows).map(({ cells }) => cells);
  const guessed = mapColumns(header.names, map, samples);
  const hasNew = guessed.mapping.some(({ isNew }) => isNew);
  const scan = hasNew ? await scanColumns(path, header, encoding) : undefined;
  const { table, accountColumn, ...notes } = scan ? mapColumns(header.names, map, samples, scan) : guessed;

  async function* lines(): AsyncGenerator<FileLine, void> {
    // They are not stored for the rest of the import.
    yield* first.splice(0).map((record) => readRecord(table, record));
    for await (const records of parts) yield* records.map((record) => readRecord(table, record));
  }
  return {
    ...notes,
    header,
    isJsonLines: false,
    table,
    notes: describeTable(table, samples, notes.mapping),
    hasByteOrderMark: await hasByteOrderMark(path),
    lines: lines(),
    ignored: () => notes.mapping.flatMap(({ column, field }) => (field === null ? column : [])),
    missing: () => [],
    accountColumn: () => accountColumn,
  };
}

/** Reads the whole file for the types of its columns. */
async function scanColumns(
  path: string,
  header: CsvHeader,
  encoding: FileEncoding | undefined,
): Promise<ColumnScan> {
  const scan = new ColumnScan(header.names);
  for await (const records of readCsv(path, new CsvFile(encoding)))
    for (const { cells, fault } of records) if (fault === undefined) scan.add(cells);
  return scan;
}

/** The records of a file in parts. The first part follows the header. Throws UsageError for a file without a table. */
async function* readCsv(path: string, file: CsvFile): AsyncGenerator<CsvRecord[], void> {
  try {
    for await (const bytes of readBytes(path)) {
      const records = file.read(bytes, false);
      if (file.header) yield records;
    }
    yield file.read(new Uint8Array(), true);
  } catch (error) {
    throw asUnreadable(path, error);
  }
}

async function openJsonLines(path: string, map: ImportMap, encoding?: FileEncoding): Promise<ImportSource> {
  const notes: MemberNotes = { ignored: new Set(), accountColumn: undefined, missing: new Map() };
  const readMembers = mapMembers(map, notes);

  async function* lines(): AsyncGenerator<FileLine, void> {
    let rowCount = 0;
    for await (const { line, text, ...read } of readJsonLines(path, encoding)) {
      const endCount = "members" in read ? rowCountOfEndLine(read.members) : undefined;
      if (endCount === undefined) {
        rowCount += 1;
        yield { line, cells: [text], ...("fault" in read ? read : readMembers(read.members)) };
      } else if (endCount === rowCount) rowCount = 0;
      else
        throw new OperatorError(
          "unreadable_line",
          `Line ${line} ends an export of ${endCount} rows, but ${rowCount} are before it.`,
        );
    }
  }
  return {
    header: { names: ["content"], separator: "," },
    isJsonLines: true,
    hasByteOrderMark: await hasByteOrderMark(path),
    lines: lines(),
    mapping: [],
    table: undefined,
    notes: [],
    ignored: () => [...notes.ignored],
    missing: () => [...notes.missing.values()],
    unfilled: unfilledFields(map),
    accountColumn: () => notes.accountColumn,
  };
}
