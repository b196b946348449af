import type { CsvHeader } from "../../../../shared/csv-file.ts";
import type { RowResult } from "../../../../shared/unique-rows.ts";
import { sendRows } from "./batch.ts";
import { readCsvFile } from "./file.ts";
import type { ColumnMapping } from "./mapping.ts";
import { RejectedRows } from "./rejected.ts";
import { type FileRow, readRow } from "./rows.ts";

export type Counts = Record<RowResult["result"], number>;
/** What an import has done so far. */
export type Progress = { counts: Counts; readBytes: number; rejected: RejectedRows };
export type ImportRun = {
  isDryRun: boolean;
  startedAt: number;
  progress: Progress | undefined;
  state: "running" | "done" | "cancelled" | "failed";
  error?: unknown;
};

const maxPartRows = 500;
const maxPartBytes = 900_000;

/**
 * Imports the rows of a file in parts, one request each. A part that fails as a whole ends the import with its error: what
 * was stored before stays stored. `onProgress` is called after each part.
 */
export async function importFile(
  file: Blob,
  {
    header,
    targets,
    isDryRun,
    signal,
    onProgress,
  }: {
    header: CsvHeader;
    targets: readonly ColumnMapping[];
    isDryRun: boolean;
    signal: AbortSignal;
    onProgress: (progress: Progress) => void;
  },
): Promise<void> {
  const rejected = new RejectedRows(header);
  const counts: Counts = { created: 0, updated: 0, unchanged: 0, rejected: 0 };
  const accepted = new Map<unknown, number>();
  for await (const { rows, readBytes } of readParts(file, targets)) {
    signal.throwIfAborted();
    for (const outcome of await sendRows(rows, { isDryRun, signal, accepted })) {
      counts[outcome.result] += 1;
      if (outcome.result === "rejected") rejected.add(outcome.row, outcome.reason);
    }
    onProgress({ counts: { ...counts }, readBytes, rejected });
  }
}

/** The rows of a file in parts that one request can send. `readBytes` are those of the file up to the end of the part. */
async function* readParts(
  file: Blob,
  targets: readonly ColumnMapping[],
): AsyncGenerator<{ rows: FileRow[]; readBytes: number }, void> {
  const encoder = new TextEncoder();
  let rows: FileRow[] = [];
  let partBytes = 0;
  let readBytes = 0;
  for await (const part of readCsvFile(file)) {
    const bytesPerRecord = (part.readBytes - readBytes) / part.records.length;
    for (const record of part.records) {
      readBytes += bytesPerRecord;
      let row = readRow(targets, record);
      const bytes = "row" in row ? encoder.encode(JSON.stringify(row.row)).length + 1 : 0;
      if (bytes > maxPartBytes)
        row = { line: row.line, cells: row.cells, fault: "the row has more than 900 kB" };
      else if (rows.length === maxPartRows || partBytes + bytes > maxPartBytes) {
        yield { rows, readBytes };
        rows = [];
        partBytes = 0;
      }
      rows.push(row);
      partBytes += bytes > maxPartBytes ? 0 : bytes;
    }
    readBytes = part.readBytes;
  }
  if (rows.length > 0) yield { rows, readBytes };
}
