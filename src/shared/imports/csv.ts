import { maxBodyBytes } from "../request-limits.ts";

/**
 * A record of a CSV file. `line` is the number of its first line, from 1. A record with a fault has the cells of its first
 * line only.
 */
export type CsvRecord = { line: number; cells: string[]; fault?: string };

type Field = { cell: string; end: number; lineBreaks: number };
type RecordFields = { cells: string[]; textEnd: number; end: number; lineCount: number };

const unbalanced =
  'a quote is not closed, or a text follows its closing quote: write a quote within quotes as ""';
const tooLong = "the row has more than 1 MiB: a quote may not be closed";
/** A line that is too long is shown up to this length. */
export const maxShownLength = 1_000;

/**
 * Reads CSV in parts of any length, by RFC 4180; lines end in LF, CRLF or CR. Records without a value are skipped. Blanks
 * around a field are removed; a quote within an unquoted field is a character. After a record with a fault, the reading
 * goes on at the line after its first one.
 */
export class CsvReader {
  readonly #separator: string;
  readonly #unquoted: RegExp;
  readonly #blanks: RegExp;
  #text = "";
  #line: number;
  /** The number of characters before `#text`. */
  #offset = 0;
  /** Whether `#text` begins within a line that is too long. */
  #isSkipping = false;
  /** The offsets of quotes that the last faulty records have: the lines within them do not read the rest again. */
  readonly #faultyQuotes = new Set<number>();
  #lastFaultyQuote = 0;

  constructor(separator: string, firstLine = 1) {
    this.#separator = separator;
    this.#line = firstLine;
    const code = `\\u${separator.charCodeAt(0).toString(16).padStart(4, "0")}`;
    this.#unquoted = new RegExp(`[^${code}\\r\\n]*`, "y");
    this.#blanks = new RegExp(`(?:(?![${code}\\r\\n])\\s)*`, "y");
  }

  /** The records that are complete with this part. `isEnd`: no part follows. */
  read(part: string, { isEnd = false } = {}): CsvRecord[] {
    this.#text += part;
    const records: CsvRecord[] = [];
    let start = this.#isSkipping ? this.#skipLine(isEnd) : 0;
    while (start < this.#text.length) {
      const next = this.#readRecord(start, isEnd);
      if (next === undefined) break;
      const { cells, end, lineCount, fault } = next;
      if (fault !== undefined) records.push({ line: this.#line, cells, fault });
      else if (cells.some((cell) => cell !== "")) records.push({ line: this.#line, cells });
      this.#line += lineCount;
      start = end;
    }
    this.#text = this.#text.slice(start);
    this.#offset += start;
    if (this.#offset > this.#lastFaultyQuote) this.#faultyQuotes.clear();
    return records;
  }

  /** The record that begins at `start`; undefined if its end is not there yet. */
  #readRecord(start: number, isEnd: boolean) {
    const line = lineAt(this.#text, start, isEnd);
    if (line && !line.text.includes('"') && line.textEnd - start <= maxBodyBytes) {
      const cells = line.text.split(this.#separator).map((cell) => cell.trim());
      return { cells, end: line.end, lineCount: 1, fault: undefined };
    }
    const quotes: number[] = [];
    const read = this.#readFields(start, isEnd, quotes);
    const isLong = (read?.textEnd ?? this.#text.length) - start > maxBodyBytes;
    if (read && "cells" in read && !isLong) return { ...read, fault: undefined };
    if (!read && !isLong) return undefined;
    if (!line && this.#text.length - start <= maxBodyBytes) return undefined;
    for (const at of quotes) if (at - start <= maxBodyBytes) this.#addFaultyQuote(this.#offset + at);
    const isLongLine = !line || line.textEnd - start > maxBodyBytes;
    const shown = isLongLine ? this.#text.slice(start, start + maxShownLength) : line.text;
    const cells = this.#splitFaulty(shown);
    const fault = isLong || isLongLine ? tooLong : unbalanced;
    if (line) return { cells, end: line.end, lineCount: 1, fault };
    this.#isSkipping = true;
    return { cells, end: this.#textEnd(), lineCount: 0, fault };
  }

  /** The fields from `start` to the end of the record, or the place of a fault; undefined if the end is not there yet. */
  #readFields(
    start: number,
    isEnd: boolean,
    quotes: number[],
  ): RecordFields | { textEnd: number } | undefined {
    const text = this.#text;
    const cells: string[] = [];
    let lineCount = 1;
    for (let at = start; ; at += 1) {
      const quote = this.#quoteAt(text, at);
      if (quote !== undefined) {
        if (this.#faultyQuotes.has(this.#offset + quote)) return { textEnd: quote };
        quotes.push(quote);
      }
      const field = quote === undefined ? this.#readUnquoted(text, at) : this.#readQuoted(text, quote);
      // The character after the field, or the line feed of a CRLF, may be in the next part.
      const isCut =
        !field || field.end >= text.length || (text[field.end] === "\r" && field.end + 1 === text.length);
      if (isCut && !isEnd) return undefined;
      if (!field) return { textEnd: text.length };
      if (!this.#endsField(text, field.end)) return { textEnd: field.end };
      cells.push(field.cell);
      lineCount += field.lineBreaks;
      at = field.end;
      if (text[at] !== this.#separator)
        return { cells, textEnd: at, end: afterLineBreak(text, at), lineCount };
    }
  }

  /** The cells of a line in which the quotes that are not balanced are characters. */
  #splitFaulty(line: string): string[] {
    const cells: string[] = [];
    for (let at = 0; at <= line.length; at += 1) {
      const quote = this.#quoteAt(line, at);
      const quoted = quote === undefined ? undefined : this.#readQuoted(line, quote);
      const isWhole = quoted && this.#endsField(line, quoted.end);
      const field = isWhole ? quoted : this.#readUnquoted(line, at);
      cells.push(field.cell);
      at = field.end;
    }
    return cells;
  }

  /** Where the field at `at` has its opening quote. */
  #quoteAt(text: string, at: number): number | undefined {
    const begin = at + match(this.#blanks, text, at).length;
    return text[begin] === '"' ? begin : undefined;
  }

  #readUnquoted(text: string, at: number): Field {
    const cell = match(this.#unquoted, text, at);
    return { cell: cell.trim(), end: at + cell.length, lineBreaks: 0 };
  }

  /** The field with this opening quote, and the blanks after it; undefined without a closing quote. */
  #readQuoted(text: string, quote: number): Field | undefined {
    let close = text.indexOf('"', quote + 1);
    while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
    if (close < 0) return undefined;
    const cell = text.slice(quote + 1, close).replaceAll('""', '"');
    const end = close + 1 + match(this.#blanks, text, close + 1).length;
    return { cell, end, lineBreaks: cell.match(/\r\n|\r|\n/g)?.length ?? 0 };
  }

  #addFaultyQuote(offset: number): void {
    this.#faultyQuotes.add(offset);
    this.#lastFaultyQuote = Math.max(this.#lastFaultyQuote, offset);
  }

  #endsField(text: string, at: number): boolean {
    const next = text[at];
    return next === undefined || next === this.#separator || next === "\r" || next === "\n";
  }

  /** The start of the text after the line that is skipped. */
  #skipLine(isEnd: boolean): number {
    const line = lineAt(this.#text, 0, isEnd);
    if (!line) return this.#textEnd();
    this.#isSkipping = false;
    this.#line += 1;
    return line.end;
  }

  /** The end of the text, without a carriage return whose line feed may be in the next part. */
  #textEnd(): number {
    return this.#text.length - (this.#text.endsWith("\r") ? 1 : 0);
  }
}

const lineBreak = /[\r\n]/g;

/** The line that begins at `start`; undefined if its end is not there yet. */
function lineAt(text: string, start: number, isEnd: boolean) {
  lineBreak.lastIndex = start;
  const textEnd = lineBreak.exec(text)?.index ?? text.length;
  const end = afterLineBreak(text, textEnd);
  const isCut =
    textEnd === text.length || (text[textEnd] === "\r" && end === text.length && end === textEnd + 1);
  return isCut && !isEnd ? undefined : { text: text.slice(start, textEnd), textEnd, end };
}

function afterLineBreak(text: string, at: number): number {
  return at + (text[at] === "\r" && text[at + 1] === "\n" ? 2 : 1);
}

function match(expression: RegExp, text: string, at: number): string {
  expression.lastIndex = at;
  return expression.exec(text)?.[0] ?? "";
}
