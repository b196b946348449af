import { write as writeBytes, writeSync } from "node:fs";
import { promisify } from "node:util";
import { errorCode } from "../../db/errors.ts";
import { retryMilliseconds } from "../../db/timer.ts";
import { escapeControls } from "../shared/control-characters.ts";

const writeSome = promisify(writeBytes);

/** Writes a result to standard output, as `write`, and a line feed. Control characters are escaped. */
export function print(text: string): void {
  write(Buffer.from(`${escapeControls(text)}\n`));
}

/** Writes text to standard output if that is possible without a wait: it is no result. */
export function printNotice(text: string): void {
  try {
    writeSync(1, `${escapeControls(text)}\n`);
  } catch {
    // Standard output is full or closed.
  }
}

/**
 * Writes bytes to standard output; returns when all of them are written. (process.stdout loses what exceeds the
 * 64 KiB of a pipe when the process exits.) Throws EPIPE when the reader closed the pipe.
 */
function write(bytes: Uint8Array): void {
  let rest = bytes;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (!isFullPipe(error)) throw error;
      Bun.sleepSync(retryMilliseconds);
    }
  }
}

/** As `write`, but the event loop runs while the pipe is full, so that no transaction of a read stays open. */
export async function writePart(bytes: Uint8Array): Promise<void> {
  let rest = bytes;
  while (rest.length > 0) {
    try {
      rest = rest.subarray((await writeSome(1, rest)).bytesWritten);
    } catch (error) {
      if (!isFullPipe(error)) throw error;
      await Bun.sleep(retryMilliseconds);
    }
  }
}

/** EAGAIN: standard output is a non-blocking pipe, and its reader is slower. */
function isFullPipe(error: unknown): boolean {
  return errorCode(error) === "EAGAIN";
}

/** Writes anything that is not a result to standard error. Control characters are escaped. */
export function printError(text: string): void {
  process.stderr.write(`${escapeControls(text)}\n`);
}

/** What decides between JSON and text. */
type OutputFlags = Readonly<Record<string, string | boolean | undefined>>;

export function printResult({ json }: OutputFlags, value: object, text: string): void {
  print(json ? JSON.stringify(value, null, 2) : text);
}

/** Prints a list: as a JSON array, or as a table with the columns `names`. */
export function printList<T extends Record<string, unknown>>(
  flags: OutputFlags,
  rows: T[],
  names: readonly (keyof T & string)[],
): void {
  const cells = rows.map((row) => names.map((name) => (row[name] === null ? "-" : String(row[name]))));
  const header = names.map((name) => name.replace(/[A-Z]/g, " $&").toUpperCase());
  printResult(flags, rows, table([header, ...cells]));
}

/** Rows of text; each column is as wide as its widest cell. */
export function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => [...(row[i] ?? "")].length)));
  const line = (row: string[]) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ");
  return rows.map((row) => line(row).trimEnd()).join("\n");
}

const barWidth = 30;
const drawMilliseconds = 200;

/**
 * A line on a terminal (standard error) that is drawn again as the work goes on: a bar, the part that is done, the
 * rate, and the remaining time at this rate. Undefined for JSON, and without a terminal.
 */
export function createProgressBar(unit: string, { json }: OutputFlags) {
  if (!process.stderr.isTTY || json) return undefined;
  const startedAt = performance.now();
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    /** Draws at most five times a second. */
    show(done: number, total: number): void {
      const now = performance.now();
      if (now - drawnAt < drawMilliseconds) return;
      drawnAt = now;
      const line = progressLine({ done, total, seconds: (now - startedAt) / 1000, unit });
      process.stderr.write(`\r${line}\x1b[K`);
    },
    clear: () => void process.stderr.write("\r\x1b[K"),
  };
}

export function progressLine(state: { done: number; total: number; seconds: number; unit: string }): string {
  const { done, total, seconds, unit } = state;
  const part = total === 0 ? 1 : done / total;
  const bar = "#".repeat(Math.floor(part * barWidth)).padEnd(barWidth, ".");
  const rate = seconds === 0 ? 0 : Math.round(done / seconds);
  const remaining = rate === 0 ? "" : `, ${duration(Math.ceil((total - done) / rate))} left`;
  return `[${bar}] ${Math.floor(part * 100)} %, ${done} of ${total} ${unit}, ${rate}/s${remaining}`;
}

function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`;
}
