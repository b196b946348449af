import type { FileResource } from "../core/file-resources.ts";
import { OperatorError } from "../core/operator-error.ts";
import type { ImportResult } from "../imports/rows.ts";
import type { RejectedLines } from "./import-rejected.ts";
import type { ImportSession } from "./import-session.ts";
import type { ImportLine, ImportSource } from "./import-source.ts";

/** The rows of one request to the server, which stores them in several transactions. */
const rowsPerPart = 1_000;
const maxPartLength = 262_144;

export type ImportCounts = {
  lines: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
};
type ImportTarget = {
  session: ImportSession;
  organizationId: number;
  resource: FileResource;
  isDryRun: boolean;
  rejected: RejectedLines;
  /** Called after each part with the number of its last line. */
  onPart: (line: number) => void;
};
type PartLine = { line: ImportLine; reason?: string };

/**
 * Imports the lines of a source in parts. Rejected lines are appended to `rejected`, in order. Throws OperatorError when a
 * line cannot be read or a part cannot be stored; those before it are stored.
 */
export async function runImport(source: ImportSource, target: ImportTarget): Promise<ImportCounts> {
  const counts: ImportCounts = { lines: 0, created: 0, updated: 0, unchanged: 0, rejected: 0 };
  /** The first line of each external id. */
  const linesById = new Map<string, number>();
  let entries: PartLine[] = [];
  let rows: object[] = [];
  let partLength = 0;
  let running = Promise.resolve();

  /** Sends the lines that were read. The next ones are read meanwhile. */
  async function sendPart(): Promise<void> {
    const part = { entries, rows };
    [entries, rows, partLength] = [[], [], 0];
    await running;
    running = importPart(target, part, counts);
    // An error is thrown by the next await.
    running.catch(() => {});
  }

  async function addLine(line: ImportLine): Promise<void> {
    counts.lines += 1;
    const length = "row" in line ? JSON.stringify(line.row).length : 0;
    const reason = reasonOf(line, length, linesById);
    if (partLength + length > maxPartLength && reason === undefined) await sendPart();
    entries.push(reason === undefined ? { line } : { line, reason });
    if (reason === undefined && "row" in line) {
      rows.push(line.row);
      partLength += length;
    }
    if (entries.length === rowsPerPart) await sendPart();
  }

  let readError: unknown;
  const lines = source.lines[Symbol.asyncIterator]();
  for (;;) {
    // The lines before one that cannot be read are imported.
    const next = await lines.next().catch((error: unknown) => {
      readError = error;
      return { done: true, value: undefined } as const;
    });
    if (next.done) break;
    await addLine(next.value);
  }
  await sendPart();
  await running;
  if (readError !== undefined) throw readError;
  return counts;
}

/** Why a line is rejected before it is sent. A second line with the same external id would change the row at each import. */
function reasonOf(line: ImportLine, length: number, linesById: Map<string, number>): string | undefined {
  if ("fault" in line) return line.fault;
  const { externalId } = line.row;
  if (externalId === undefined || externalId === null || externalId === "")
    return "the line has no externalId";
  if (length > maxPartLength) return "the row has more than 256 KiB";
  if (typeof externalId !== "string") return undefined;
  const first = linesById.get(externalId);
  if (first !== undefined) return `line ${first} has the same externalId`;
  linesById.set(externalId, line.line);
  return undefined;
}

async function importPart(
  { session, organizationId, resource, isDryRun, rejected, onPart }: ImportTarget,
  { entries, rows }: { entries: readonly PartLine[]; rows: readonly object[] },
  counts: ImportCounts,
): Promise<void> {
  const last = entries.at(-1);
  if (!last) return;
  const results = rows.length === 0 ? [] : await send();
  let next = 0;
  for (const { line, reason } of entries) {
    const result: ImportResult | undefined =
      reason === undefined ? results[next++] : { result: "rejected", reason };
    if (!result) throw new Error(`line ${line.line} has no result`);
    counts[result.result] += 1;
    if (result.result === "rejected") rejected.add(line.cells, line.line, result.reason);
  }
  onPart(last.line.line);

  async function send(): Promise<ImportResult[]> {
    try {
      const input = { organizationId, resource, rows, isDryRun };
      return (await session.run("importRows", input)).results;
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      const [first] = entries;
      throw new OperatorError(
        error.code,
        `The import stopped at line ${first?.line.line}: ${error.message} Import the file again: the lines before it are unchanged then.`,
      );
    }
  }
}
