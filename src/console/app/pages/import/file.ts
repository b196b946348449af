import { describeBinary } from "../../../../shared/imports/binary-formats.ts";
import { ColumnScan } from "../../../../shared/imports/column-scan.ts";
import type { CsvRecord } from "../../../../shared/imports/csv.ts";
import { CsvFile, type CsvHeader, NoTable } from "../../../../shared/imports/csv-file.ts";
import { type FileEncoding, markOf, NotUtf8 } from "../../../../shared/imports/encodings.ts";
import { ReaderError } from "../../editing/form-problem.ts";
import { importing } from "../../messages/messages.ts";

const text = importing.file;

/** The page answers between two slices. */
const sliceBytes = 262_144;

/** The records of a part of a file without the header, and the bytes of the file up to its end. */
type FilePart = { records: CsvRecord[]; readBytes: number };

/** Reads a CSV file in parts. Throws `ReaderError` for a file without a table. */
export async function* readCsvFile(blob: Blob, file = new CsvFile()): AsyncGenerator<FilePart, void> {
  for (let offset = 0; offset === 0 || offset < blob.size; offset += sliceBytes) {
    const end = Math.min(blob.size, offset + sliceBytes);
    const bytes = new Uint8Array(await blob.slice(offset, end).arrayBuffer());
    const format = offset === 0 ? describeBinary(bytes, blob instanceof File ? blob.name : "") : undefined;
    if (format !== undefined) throw new ReaderError(text.is(format));
    yield { records: readPart(file, bytes, end === blob.size), readBytes: end };
  }
}

function readPart(file: CsvFile, bytes: Uint8Array, isEnd: boolean): CsvRecord[] {
  try {
    return file.read(bytes, isEnd);
  } catch (error) {
    throw error instanceof NoTable || (error instanceof NotUtf8 && error.encoding === undefined)
      ? new ReaderError(text.is(error.message))
      : error;
  }
}

/**
 * The header, the first rows, and what all rows of each column have. `encoding`: as the byte-order mark says, else the one
 * that was chosen or recognized. Undefined for UTF-8 without a mark.
 */
export type FileStart = {
  header: CsvHeader;
  rows: CsvRecord[];
  scan: ColumnScan;
  encoding: FileEncoding | undefined;
};

/**
 * Reads a file up to its end, by default in the encoding that is recognized. Throws `ReaderError` for a file without a
 * table, and throws when `signal` is aborted.
 */
export async function readStart(
  blob: Blob,
  maxRows: number,
  { signal, encoding }: { signal?: AbortSignal; encoding?: FileEncoding | undefined } = {},
): Promise<FileStart> {
  const file = new CsvFile(encoding);
  const rows: CsvRecord[] = [];
  let scan: ColumnScan | undefined;
  try {
    for await (const { records } of readCsvFile(blob, file)) {
      signal?.throwIfAborted();
      rows.push(...records.slice(0, maxRows - rows.length));
      if (file.header) scan ??= new ColumnScan(file.header.names);
      for (const { cells, fault } of records) if (fault === undefined) scan?.add(cells);
    }
  } catch (error) {
    if (!(error instanceof NotUtf8)) throw error;
    if (error.encoding === undefined) throw new ReaderError(text.is(error.message));
    return readStart(blob, maxRows, { ...(signal && { signal }), encoding: error.encoding });
  }
  if (!file.header || !scan) throw new ReaderError(text.noHeader);
  const mark = markOf(new Uint8Array(await blob.slice(0, 3).arrayBuffer()));
  return { header: file.header, rows, scan, encoding: mark?.encoding ?? encoding };
}
