import { pathOfNumber } from "../cells.ts";
import { maxRequestItems } from "../request-limits.ts";
import type { FieldFaults, ReadRow } from "./row-cells.ts";

/** The last line of an export of JSON lines: no row is missing. An HTTP/1.0 client cannot see that a reply was cut. */
export function formatEndLine(rowCount: number): string {
  return `${JSON.stringify({ end: true, rows: rowCount })}\n`;
}

/** The number of rows in the last line of an export. Undefined for a row. */
export function rowCountOfEndLine(line: Readonly<Record<string, unknown>>): number | undefined {
  const { end, rows, ...others } = line;
  const isEndLine = end === true && typeof rows === "number" && Object.keys(others).length === 0;
  return isEndLine ? rows : undefined;
}

type FileRow = Readonly<Record<string, unknown>>;
/** A line of a file with its cells: its row, or why it is rejected before it is sent. */
export type FileLine = { line: number; cells: readonly string[] } & ReadRow;
/** What became of a row. */
export type RowResult =
  | { result: "created" | "updated" | "unchanged" }
  | { result: "rejected"; reason: string };

/** A result of the routes that create and update rows. */
export type UpsertReply = {
  result: "created" | "updated" | "unchanged" | "failed";
  problem?: Readonly<Record<string, unknown>> | undefined;
};

/** What became of a row by the reply of the server. */
export function readRowResult({ result, problem }: UpsertReply, faults?: FieldFaults): RowResult {
  return result === "failed" ? { result: "rejected", reason: reasonOf(problem, faults) } : { result };
}

/**
 * Why the server rejects a row, in a line: the fields that are wrong, and what they must be. Never a value. The field of a
 * fault has the reason of its fault.
 */
function reasonOf(problem: UpsertReply["problem"], faults: FieldFaults = {}): string {
  const errors = Array.isArray(problem?.errors) ? problem.errors : [];
  const reasons = errors.map(({ pointer = "", detail = "" }: { pointer?: string; detail?: string }) => {
    // A pointer may begin with the list and the index of the row in its request.
    const path = pointer.replace(/^\/[a-z-]+\/\d+(?=\/|$)/, "").slice(1);
    const field = path.replaceAll("/", ".");
    return faults[field] ?? `${field} ${detail}`.trim();
  });
  return reasons.length > 0 ? reasons.join("; ") : String(problem?.detail ?? "the server rejects the row");
}

/** A line that is sent. A row with faults is rejected: the server reports what else is wrong. */
export type SentLine = { line: number; row: FileRow; faults?: FieldFaults | undefined };
export type ImportCounts = { lines: number } & Record<RowResult["result"], number>;
type ImportSteps<Line> = {
  /** The members by which a row is stored once. Default: `externalId`. */
  keyNames?: readonly string[];
  /** Stores rows in one transaction, and returns what became of each line. Throws if none was stored. */
  send: (lines: readonly SentLine[]) => Promise<readonly RowResult[]>;
  onRejected: (line: Line, reason: string) => void;
  /** Called after each part with its last line. */
  onPart: (last: Line, counts: ImportCounts) => void;
};

/** Limits of a part. A body has at most 1 MiB: a character has at most three bytes. */
const maxPartCharacters = 262_144;
const maxPartValues = 60_000;

/**
 * Imports lines in parts, and reads the next part while one is stored. Throws when a line cannot be read or a part cannot
 * be stored; the parts before it are stored.
 */
export async function importLines<Line extends FileLine>(
  lines: AsyncIterable<Line>,
  { send, onRejected, onPart, keyNames }: ImportSteps<Line>,
): Promise<ImportCounts> {
  const counts: ImportCounts = { lines: 0, created: 0, updated: 0, unchanged: 0, rejected: 0 };
  const accepted = new AcceptedRows(keyNames);
  let part: Line[] = [];
  let size = { characters: 0, values: 0 };
  let running = Promise.resolve();

  async function importPart(sent: readonly Line[]): Promise<void> {
    const last = sent.at(-1);
    if (!last) return;
    const results = await sendUniqueRows(sent, accepted, send);
    for (const [i, result] of results.entries()) {
      const line = sent[i];
      counts[result.result] += 1;
      if (line && result.result === "rejected") onRejected(line, result.reason);
    }
    onPart(last, { ...counts });
  }
  async function sendPart(): Promise<void> {
    const sent = part;
    [part, size] = [[], { characters: 0, values: 0 }];
    await running;
    running = importPart(sent);
    // An error is thrown by the next await.
    running.catch(() => {});
  }
  async function addLine(line: Line): Promise<void> {
    counts.lines += 1;
    const { characters, values } = sizeOf(line);
    const isTooLarge = characters > maxPartCharacters || values > maxPartValues;
    const isFull = size.characters + characters > maxPartCharacters || size.values + values > maxPartValues;
    if (part.length === maxRequestItems || (isFull && !isTooLarge)) await sendPart();
    part.push(isTooLarge ? { ...line, fault: "the row has more than 256 KiB, or 60,000 values" } : line);
    if (!isTooLarge) size = { characters: size.characters + characters, values: size.values + values };
  }

  let readError: unknown;
  const reading = lines[Symbol.asyncIterator]();
  for (;;) {
    // The lines before one that cannot be read are imported.
    const next = await reading.next().catch((error: unknown) => {
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

function sizeOf(line: FileLine): { characters: number; values: number } {
  if (!("row" in line)) return { characters: 0, values: 0 };
  return { characters: JSON.stringify(line.row).length, values: countValues(line.row) };
}

function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((count, member) => count + countValues(member), 1);
}

/** Why a row is not sent. JSON has null for a number that is not finite, which would clear the value. NaN: an inexact number. */
function faultOf(line: FileLine): string | undefined {
  if ("fault" in line) return line.fault;
  const { row, faults = {} } = line;
  if (typeof row.externalId === "object" || (row.externalId ?? "") === "")
    return ["the line has no externalId", ...Object.values(faults)].join("; ");
  const inexact = pathOfNumber(row, Number.isNaN);
  if (inexact !== undefined) return `${inexact} has more than 15 digits: send it as a text`;
  const path = pathOfNumber(row);
  return path === undefined ? undefined : `${path} must be a finite number`;
}

/** The lines of the rows that were accepted, by their keys. */
export class AcceptedRows {
  readonly keyNames: readonly string[];
  readonly #lines = new Map<string, number>();

  /** `keyNames`: the members by which a row is stored once. */
  constructor(keyNames: readonly string[] = ["externalId"]) {
    this.keyNames = keyNames;
  }

  keyOf(row: FileRow): string {
    return JSON.stringify(this.keyNames.map((name) => row[name]));
  }

  add(row: FileRow, line: number): void {
    this.#lines.set(this.keyOf(row), line);
  }

  lineOf(row: FileRow): number | undefined {
    return this.#lines.get(this.keyOf(row));
  }
}

/**
 * Sends rows with different keys: a second one would change the row at each import. It is sent in a further call of
 * `send` if the first was rejected and is another row. `accepted` gets the lines of this call. Returns a result for each line.
 */
export async function sendUniqueRows(
  lines: readonly FileLine[],
  accepted: AcceptedRows,
  send: (lines: readonly SentLine[]) => Promise<readonly RowResult[]>,
): Promise<RowResult[]> {
  const results: RowResult[] = [];
  const rejected = new Map<string, RowResult>();
  let waiting = [...lines.entries()];
  while (waiting.length > 0) {
    const batch = new Map<unknown, SentLine & { index: number }>();
    const later: typeof waiting = [];
    for (const [index, line] of waiting) {
      const fault = faultOf(line);
      if (fault !== undefined || !("row" in line)) {
        results[index] = rejection(fault ?? "");
        continue;
      }
      const key = accepted.keyOf(line.row);
      const known = resultOf(line, accepted, rejected);
      if (known) results[index] = known;
      else if (batch.has(key)) later.push([index, line]);
      else batch.set(key, { ...line, index });
    }
    const sent = [...batch.values()];
    const replies = sent.length === 0 ? [] : await send(sent);
    for (const [i, { index, line, row }] of sent.entries()) {
      const reply = replies[i];
      if (!reply) throw new Error(`line ${line} has no result`);
      results[index] = reply;
      if (reply.result === "rejected") rejected.set(JSON.stringify(row), reply);
      else accepted.add(row, line);
    }
    waiting = later;
  }
  return results;
}

/** The result of a row that does not have to be sent. */
function resultOf(
  { row }: SentLine,
  accepted: AcceptedRows,
  rejected: ReadonlyMap<string, RowResult>,
): RowResult | undefined {
  const first = accepted.lineOf(row);
  if (first !== undefined) return rejection(`line ${first} has the same ${accepted.keyNames.join(", ")}`);
  return rejected.size === 0 ? undefined : rejected.get(JSON.stringify(row));
}

function rejection(reason: string): RowResult {
  return { result: "rejected", reason };
}
