import { isPlainNumber } from "../../../../shared/cells.ts";
import type { CsvRecord } from "../../../../shared/csv.ts";
import { CsvFile, type CsvHeader, describeBinary, NoTable } from "../../../../shared/csv-file.ts";
import type { ValueType } from "../../../../shared/file-fields.ts";

/** The type that every value of a column has, by the index of the column. A column without values has none. */
export type ColumnTypes = readonly (ValueType | undefined)[];

/** Finds the type of each column of a file. */
class TypeScan {
  readonly #types: (ValueType | undefined)[] = [];

  add(cells: readonly string[]): void {
    for (const [i, cell] of cells.entries()) {
      const type = this.#types[i];
      if (cell === "" || type === "string") continue;
      // A number is never escaped: `'-5` of an export is a text.
      const found = typeOfText(cell.trim());
      this.#types[i] = type === undefined || type === found ? found : "string";
    }
  }

  get types(): ColumnTypes {
    return this.#types;
  }
}

function typeOfText(text: string): ValueType {
  if (isPlainNumber(text)) return "number";
  return /^(?:true|false)$/i.test(text) ? "boolean" : "string";
}

/** The page answers between two slices. */
const sliceBytes = 262_144;

/** The records of a part of a file without the header, and the bytes of the file up to its end. */
type FilePart = { records: CsvRecord[]; readBytes: number };

/** Reads a CSV file in parts. Throws for a file without a table. */
export async function* readCsvFile(blob: Blob, file = new CsvFile()): AsyncGenerator<FilePart, void> {
  for (let offset = 0; offset === 0 || offset < blob.size; offset += sliceBytes) {
    const end = Math.min(blob.size, offset + sliceBytes);
    const bytes = new Uint8Array(await blob.slice(offset, end).arrayBuffer());
    const format = offset === 0 ? describeBinary(bytes) : undefined;
    if (format !== undefined) throw new Error(`This file ${format}`);
    yield { records: readPart(file, bytes, end === blob.size), readBytes: end };
  }
}

function readPart(file: CsvFile, bytes: Uint8Array, isEnd: boolean): CsvRecord[] {
  try {
    return file.read(bytes, isEnd);
  } catch (error) {
    throw error instanceof NoTable ? new Error(`This file ${error.message}`) : error;
  }
}

/** The header, the first rows, and the types that all rows of each column have. */
export type FileStart = { header: CsvHeader; rows: CsvRecord[]; types: ColumnTypes };

/** Reads a file up to its end. Throws for a file without a table, and when `signal` is aborted. */
export async function readStart(blob: Blob, maxRows: number, signal?: AbortSignal): Promise<FileStart> {
  const file = new CsvFile();
  const rows: CsvRecord[] = [];
  const scan = new TypeScan();
  for await (const { records } of readCsvFile(blob, file)) {
    signal?.throwIfAborted();
    rows.push(...records.slice(0, maxRows - rows.length));
    for (const { cells, fault } of records) if (fault === undefined) scan.add(cells);
  }
  const { header } = file;
  if (!header) throw new Error("This file has no header with the names of its columns.");
  return { header, rows, types: scan.types };
}
