import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { CsvFile } from "../../../../shared/imports/csv-file.ts";
import {
  type FileLine,
  type ImportCounts,
  importLines,
  type RowResult,
  readRowResult,
  type SentLine,
} from "../../../../shared/imports/import-lines.ts";
import { type ImportTable, readRecord } from "../../../../shared/imports/import-table.ts";
import { api } from "../../api.ts";
import { type FileStart, readCsvFile } from "./file.ts";
import { RejectedRows } from "./rows.ts";

type ImportedAccount = components["schemas"]["AccountUpsert"];

/** What became of a row, or in a dry run would become of it. */
export type RowOutcome = { row: FileLine } & RowResult;

/** Sends rows in a request. An account that is rejected does not affect the others. Throws `ProblemError`. */
export async function sendRows(
  lines: readonly SentLine[],
  { isDryRun, signal }: { isDryRun: boolean; signal: AbortSignal },
): Promise<RowResult[]> {
  const { data } = await api.POST("/api/v1/accounts/batch", {
    params: { query: isDryRun ? { dryRun: "true" } : {} },
    // Safe: each has an externalId; the server checks the other fields.
    body: { accounts: lines.map(({ row }) => row as ImportedAccount) },
    signal,
  });
  return data.data.results.map((item, i) => readRowResult(item, lines[i]?.faults));
}

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
    start: { header, encoding },
    table,
    isDryRun,
    signal,
    onProgress,
  }: {
    start: Pick<FileStart, "header" | "encoding">;
    table: ImportTable;
    isDryRun: boolean;
    signal: AbortSignal;
    onProgress: (progress: Progress) => void;
  },
): Promise<void> {
  const rejected = new RejectedRows(header);
  await importLines(readLines(readCsvFile(file, new CsvFile(encoding)), table, signal), {
    send: (lines) => sendRows(lines, { isDryRun, signal }),
    onRejected: (line, reason) => rejected.add(line, reason),
    onPart: ({ readBytes }, counts) => onProgress({ counts, readBytes, rejected }),
  });
}

/** The rows of a file. `readBytes`: the bytes of the file up to the end of the row. */
async function* readLines(
  parts: ReturnType<typeof readCsvFile>,
  table: ImportTable,
  signal: AbortSignal,
): AsyncGenerator<FileLine & { readBytes: number }, void> {
  let readBytes = 0;
  for await (const part of parts) {
    const bytesPerRecord = (part.readBytes - readBytes) / part.records.length;
    for (const record of part.records) {
      signal.throwIfAborted();
      readBytes += bytesPerRecord;
      yield { ...readRecord(table, record), readBytes };
    }
    readBytes = part.readBytes;
  }
}
