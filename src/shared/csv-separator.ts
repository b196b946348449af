import { CsvReader } from "./csv.ts";

/** The line by which Excel reads and writes another separator. */
const separatorLine = /^"?sep=([^\r\n"])"?(?:\r\n|\n|\r)/i;
/** The separators that are found without such a line. Of equal ones the first: a comma is more frequent in texts. */
export const separators: readonly string[] = ["\t", ";", ","];
const maxSampleRecords = 20;

/** The names of the columns, and what separates the fields. */
export type CsvHeader = { names: readonly string[]; separator: string };

/** The separator of a first line such as `sep=;`, and the length of the line. */
export function readSeparatorLine(text: string): { separator: string; length: number } | undefined {
  const [line = "", separator] = separatorLine.exec(text) ?? [];
  return separator === undefined ? undefined : { separator, length: line.length };
}

/**
 * The separator by which the most of the first records have as many fields as the header; of these, the most frequent one
 * outside of quotes.
 */
export function guessSeparator(text: string, isEnd = true): string {
  let best = { separator: ",", matchCount: 0, fieldCount: 0 };
  for (const separator of separators) {
    const [header, ...records] = new CsvReader(separator)
      .read(text, { isEnd })
      .slice(0, maxSampleRecords + 1);
    const width = header?.cells.length ?? 0;
    if (width < 2 || header?.fault !== undefined) continue;
    const matchCount = records.filter(({ cells, fault }) => cells.length === width && !fault).length;
    const fieldCount = records.reduce((sum, { cells }) => sum + cells.length - 1, width - 1);
    const isBetter =
      matchCount > best.matchCount || (matchCount === best.matchCount && fieldCount > best.fieldCount);
    if (isBetter) best = { separator, matchCount, fieldCount };
  }
  return best.separator;
}
