import { unescapeFormula } from "../cells.ts";
import { CsvReader, type CsvRecord } from "./csv.ts";
import type { FileEncoding } from "./encodings.ts";
import { FileDecoder } from "./file-decoder.ts";

const json = /^\s*[{[]\s*["{[]/;
/** The line by which Excel reads and writes another separator. */
const separatorLine = /^"?sep=([^\r\n"])"?(?:\r\n|\n|\r)/i;
/** The separators that are found without such a line. Of equal ones the first: a comma is more frequent in texts. */
export const separators: readonly string[] = ["\t", ";", ",", "|"];
/** The length of the text that the separator is chosen by. */
const sampleLength = 262_144;

/** The names of the columns, and what separates the fields. */
export type CsvHeader = { names: readonly string[]; separator: string };

/** A file without a table: the message follows the name of the file. */
export class NoTable extends Error {}

/** Reads a CSV file in parts of bytes. */
export class CsvFile {
  readonly #decoder: FileDecoder;
  #start = "";
  #reader: CsvReader | undefined;
  #separator = "";
  #header: CsvHeader | undefined;

  /** Without `encoding`, the file is in UTF-8, or has a byte-order mark. */
  constructor(encoding?: FileEncoding) {
    this.#decoder = new FileDecoder(encoding);
  }

  /** The header, once its record is read. */
  get header(): CsvHeader | undefined {
    return this.#header;
  }

  /** The records that are complete with this part, without the header. Throws NoTable and NotUtf8. */
  read(bytes: Uint8Array, isEnd: boolean): CsvRecord[] {
    const records = this.#readRecords(this.#decoder.decode(bytes, isEnd), isEnd);
    if (this.#header) return records;
    const first = records.shift();
    if (first) this.#header = { names: namesOf(first), separator: this.#separator };
    else if (isEnd) throw new NoTable("has no header with the names of its columns.");
    return records;
  }

  #readRecords(text: string, isEnd: boolean): CsvRecord[] {
    if (this.#reader) return this.#reader.read(text, { isEnd });
    this.#start += text;
    if (this.#start.length < sampleLength && !isEnd) return [];
    if (json.test(this.#start))
      throw new NoTable("is JSON. Write an object on each line, in a file whose name ends in .jsonl.");
    const line = readSeparatorLine(this.#start);
    this.#separator = line?.separator ?? guessSeparator(this.#start, isEnd);
    this.#reader = new CsvReader(this.#separator, line ? 2 : 1);
    return this.#reader.read(this.#start.slice(line?.length ?? 0), { isEnd });
  }
}

function namesOf({ cells, fault }: CsvRecord): string[] {
  if (fault !== undefined) throw new NoTable(`has a header that cannot be read: ${fault}.`);
  return cells.map((name) => unescapeFormula(name.trim()));
}

/** The separator of a first line such as `sep=;`, and the length of the line. */
function readSeparatorLine(text: string): { separator: string; length: number } | undefined {
  const [line = "", separator] = separatorLine.exec(text) ?? [];
  return separator === undefined ? undefined : { separator, length: line.length };
}

/**
 * The separator by which the most of the records have as many fields as the header; of equal ones, the most
 * frequent one outside of quotes. A pipe is one only if the others separate fewer records: lists in cells have pipes.
 */
export function guessSeparator(text: string, isEnd = true): string {
  let best = { separator: ",", matchCount: 0, fieldCount: 0 };
  for (const separator of separators) {
    const [header, ...records] = new CsvReader(separator).read(text, { isEnd });
    const width = header?.cells.length ?? 0;
    if (width < 2 || header?.fault !== undefined) continue;
    const matchCount = records.filter(({ cells, fault }) => cells.length === width && !fault).length;
    const fieldCount = records.reduce((sum, { cells }) => sum + cells.length - 1, width - 1);
    const isAllowed = separator !== "|" || best.fieldCount === 0;
    const isBetter =
      matchCount > best.matchCount ||
      (matchCount === best.matchCount && fieldCount > best.fieldCount && isAllowed);
    if (isBetter) best = { separator, matchCount, fieldCount };
  }
  return best.separator;
}
