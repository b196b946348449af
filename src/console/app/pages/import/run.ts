import type { CsvHeader } from "../../../../shared/csv-file.ts";
import { type FileLine, type ImportCounts, importLines } from "../../../../shared/import-lines.ts";
import { sendRows } from "./batch.ts";
import { readCsvFile } from "./file.ts";
import type { ColumnMapping } from "./mapping.ts";
import { RejectedRows } from "./rejected.ts";
import { readRow } from "./rows.ts";

/** What an import has done so far. */
export type Progress = { counts: ImportCounts; readBytes: number; rejected: RejectedRows };
export type ImportRun = {
  isDryRun: boolean;
  startedAt: number;
  progress: Progress | undefined;
  state: "running" | "done" | "cancelled" | "failed";
  error?: unknown;
};

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
  await importLines(readLines(file, targets, signal), {
    send: (rows) => sendRows(rows, { isDryRun, signal }),
    onRejected: (line, reason) => rejected.add(line, reason),
    onPart: ({ readBytes }, counts) => onProgress({ counts, readBytes, rejected }),
  });
}

/** The rows of a file. `readBytes`: the bytes of the file up to the end of the row. */
async function* readLines(
  file: Blob,
  targets: readonly ColumnMapping[],
  signal: AbortSignal,
): AsyncGenerator<FileLine & { readBytes: number }, void> {
  let readBytes = 0;
  for await (const part of readCsvFile(file)) {
    const bytesPerRecord = (part.readBytes - readBytes) / part.records.length;
    for (const record of part.records) {
      signal.throwIfAborted();
      readBytes += bytesPerRecord;
      yield { ...readRow(targets, record), readBytes };
    }
    readBytes = part.readBytes;
  }
}
