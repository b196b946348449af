import { once } from "node:events";
import { type Parser, parse } from "csv-parse";
import { OperatorError, UsageError } from "../core/operator-error.ts";
import { readText } from "./import-text.ts";

/** A record of a CSV file. `line` is the number of its first line, from 1. */
export type CsvRecord = { line: number; cells: string[] } | { line: number; fault: string };

const maxRecordBytes = 1_048_576;
/** The line by which Excel reads and writes another separator. */
const excelSeparator = /^"?sep=([^\r\n"])"?(?:\r\n|\n|\r)/i;
const jsonStart = /^\s*[{[]\s*["{[]/;

/**
 * The records of a CSV file; the first is the header. Fields are separated by the character of a first line `sep=;`, or
 * else the one of comma, semicolon and tab that the header has most of. Empty lines are skipped, and blanks around a field.
 * Throws UsageError for a file that cannot be read or is JSON, and OperatorError for a record of more than 1 MiB.
 */
export async function* readCsv(path: string): AsyncGenerator<CsvRecord, void> {
  const parts = readText(path);
  const text = await readHeader(parts);
  if (jsonStart.test(text))
    throw new UsageError(
      `${path} is JSON. Write an object on each line, in a file whose name ends in .jsonl.`,
      "unreadable_file",
    );
  const [separatorLine = "", separator] = excelSeparator.exec(text) ?? [];
  const start = text.slice(separatorLine.length);
  const parser = parse({
    delimiter: separator ?? delimiterOf(start),
    record_delimiter: ["\r\n", "\n", "\r"],
    info: true,
    // With `trim`, a text after a closing quote would end the file. Such a field is read as it is written.
    ltrim: true,
    cast: trimEnd,
    max_record_size: maxRecordBytes,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    // Without this, an error at the end would discard the records that are not read yet.
    skip_records_with_error: true,
  });
  let fault: { code: string; lines: number } | undefined;
  parser.on("skip", (error: { code: string; lines: number }) => {
    fault ??= error;
  });
  const feeding = feed(parser, start, parts);
  const firstLine = separatorLine === "" ? 1 : 2;
  let end = { lines: 0, emptyLines: 0 };
  // Safe: the shape of a record with `info`.
  for await (const { record, info } of parser as AsyncIterable<{
    record: string[];
    info: { lines: number; empty_lines: number };
  }>) {
    // What follows a record that is too long begins in its middle.
    if (fault && info.lines >= fault.lines) break;
    const line = end.lines + firstLine + info.empty_lines - end.emptyLines;
    end = { lines: info.lines, emptyLines: info.empty_lines };
    yield { line, cells: record };
  }
  if (!fault) return feeding;
  const line = end.lines + firstLine;
  if (fault.code !== "CSV_QUOTE_NOT_CLOSED")
    throw new OperatorError(
      "unreadable_line",
      `The record that begins in line ${line} has more than 1 MiB: a quote may not be closed. It and what follows was not imported.`,
    );
  yield { line, fault: "a quote is not closed: the record has all lines from here to the end of the file" };
}

/** A field in quotes keeps its blanks, but not those after the closing quote, which `relax_quotes` leaves with the quotes. */
function trimEnd(field: string, { quoting }: { quoting: boolean }): string {
  return quoting ? field.replace(/^"(.*)"[ \t]+$/s, "$1") : field.trimEnd();
}

async function feed(parser: Parser, start: string, parts: AsyncIterable<string>): Promise<void> {
  try {
    parser.write(start);
    for await (const part of parts) if (part !== "" && !parser.write(part)) await once(parser, "drain");
    parser.end();
  } catch (error) {
    parser.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/** The first parts of the text, up to the end of the header. */
async function readHeader(parts: AsyncGenerator<string, void>): Promise<string> {
  let text = "";
  while (!/[\r\n]/.test(text) && text.length < maxRecordBytes) {
    const part = await parts.next();
    if (part.done) break;
    text += part.value;
  }
  return text;
}

/** The separator that is most frequent in the first line outside of quotes. */
function delimiterOf(text: string): string {
  const header = /^[\r\n]*([^\r\n]*)/.exec(text)?.[1] ?? "";
  const unquoted = header.replace(/"[^"]*"/g, "");
  const countOf = (delimiter: string) => unquoted.split(delimiter).length;
  return [",", ";", "\t"].reduce((best, next) => (countOf(next) > countOf(best) ? next : best));
}
