/** A record of a CSV file. `line` is the number of its first line, from 1. */
export type FileRecord = { line: number; cells: string[] } | { line: number; fault: string };

/** The length of the longest record in characters: longer ones mean that a quote is not closed. */
const maxRecordLength = 1_048_576;

/** The line by which Excel reads and writes another separator. */
const separatorLine = /^"?sep=([^\r\n"])"?(?:\r\n|\n|\r)/i;

/** A reader of a file that begins with this text, and the text without a first line such as `sep=;`. */
export function startCsv(start: string): { reader: CsvReader; text: string } {
  const [line = "", separator] = separatorLine.exec(start) ?? [];
  const text = start.slice(line.length);
  return { reader: new CsvReader(separator ?? delimiterOf(text), line === "" ? 1 : 2), text };
}

/** The one of comma, semicolon and tab that is most frequent in the first line outside of quotes. */
export function delimiterOf(text: string): string {
  const header = /^[\r\n]*([^\r\n]*)/.exec(text)?.[1] ?? "";
  const unquoted = header.replace(/"[^"]*"/g, "");
  const countOf = (delimiter: string) => unquoted.split(delimiter).length;
  return [",", ";", "\t"].reduce((best, next) => (countOf(next) > countOf(best) ? next : best));
}

/**
 * Reads CSV in parts of any length, by the rules of `accountd import`: RFC 4180; lines end in LF, CRLF or CR; empty ones
 * are skipped; blanks around a field are removed; a quote within an unquoted field is a character.
 */
export class CsvReader {
  readonly #unquotedField: RegExp;
  readonly #blanks: RegExp;
  readonly #delimiter: string;
  #text = "";
  #line: number;

  constructor(delimiter: string, firstLine = 1) {
    this.#delimiter = delimiter;
    this.#line = firstLine;
    const code = `\\u${delimiter.charCodeAt(0).toString(16).padStart(4, "0")}`;
    this.#unquotedField = new RegExp(`[^${code}\\r\\n]*`, "y");
    this.#blanks = new RegExp(`(?:(?![${code}\\r\\n])\\s)*`, "y");
  }

  /** The records that are complete with this part. `isEnd`: no part follows. Throws for a record that is too long. */
  read(part: string, { isEnd = false } = {}): FileRecord[] {
    this.#text += part;
    const records: FileRecord[] = [];
    let start = 0;
    while (start < this.#text.length) {
      const next = this.#readRecord(start, isEnd);
      if (next === undefined) break;
      const { record, end, lineCount } = next;
      const isEmpty =
        "cells" in record && record.cells.length === 1 && record.cells[0] === "" && !next.isQuoted;
      if (!isEmpty) records.push(record);
      this.#line += lineCount;
      start = end;
    }
    this.#text = this.#text.slice(start);
    if (this.#text.length > maxRecordLength)
      throw new Error(`The record that begins in line ${this.#line} is too long: a quote may not be closed.`);
    return records;
  }

  /** The record that begins at `start`; undefined if its end is not there yet. */
  #readRecord(start: number, isEnd: boolean) {
    const text = this.#text;
    const line = this.#line;
    const cells: string[] = [];
    let lineCount = 1;
    let isQuoted = false;
    for (let at = start; ; at += 1) {
      const field = this.#readQuoted(at);
      if (field === "unclosed") {
        if (!isEnd) return undefined;
        const fault = "a quote is not closed: the record has all lines from here to the end of the file";
        return { record: { line, fault }, end: text.length, lineCount, isQuoted: true };
      }
      if (field) {
        isQuoted = true;
        cells.push(field.cell);
        at = field.end;
        lineCount += field.lineCount;
      } else {
        const cell = match(this.#unquotedField, text, at);
        cells.push(cell.trim());
        at += cell.length;
      }
      const isLast = at >= text.length;
      // The line feed of a CRLF may be in the next part.
      if ((isLast || (text[at] === "\r" && at + 1 === text.length)) && !isEnd) return undefined;
      if (isLast || text[at] !== this.#delimiter) {
        const end = at + (text[at] === "\r" && text[at + 1] === "\n" ? 2 : 1);
        return { record: { line, cells }, end, lineCount, isQuoted };
      }
    }
  }

  /** The field at `start` if it is in quotes. Characters after the closing quote make the quotes a part of the field. */
  #readQuoted(start: number): { cell: string; end: number; lineCount: number } | "unclosed" | undefined {
    const text = this.#text;
    const begin = start + match(this.#blanks, text, start).length;
    if (text[begin] !== '"') return undefined;
    let close = text.indexOf('"', begin + 1);
    while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
    if (close < 0) return "unclosed";
    const content = text.slice(begin + 1, close).replaceAll('""', '"');
    const lineCount = content.match(/\r\n|\r|\n/g)?.length ?? 0;
    const end = close + 1 + match(this.#blanks, text, close + 1).length;
    const following = match(this.#unquotedField, text, end);
    if (following === "") return { cell: content, end, lineCount };
    const rest = text.slice(close + 1, end + following.length).trimEnd();
    return { cell: `"${content}"${rest}`, end: end + following.length, lineCount };
  }
}

function match(expression: RegExp, text: string, at: number): string {
  expression.lastIndex = at;
  return expression.exec(text)?.[0] ?? "";
}

/** A line of CSV. A text that a spreadsheet would run as a formula gets a leading `'`, which an import removes. */
export function formatCsvLine(cells: readonly string[]): string {
  return `${cells.map(formatCell).join(",")}\n`;
}

function formatCell(cell: string): string {
  const text = escapeFormula(unescapeFormula(cell));
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A number is no formula. */
function escapeFormula(text: string): string {
  return /^'*(?:[=+\-@\t\r]|".*"[ \t]+$)/s.test(text) && !/^[+-]?\d*\.?\d+$/.test(text) ? `'${text}` : text;
}

/** The text that an export escaped. */
export function unescapeFormula(text: string): string {
  return /^'+(?:[=+\-@\t\r]|".*"[ \t]+$)/s.test(text) ? text.slice(1) : text;
}
