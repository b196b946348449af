import { CsvReader, type CsvRecord } from "./csv.ts";
import { type CsvHeader, guessSeparator, readSeparatorLine } from "./csv-separator.ts";
import { FileDecoder } from "./file-decoder.ts";
import { isJson } from "./file-format.ts";
import { unescapeFormula } from "./formulas.ts";

/** The length of the text that the separator is chosen by. */
const sampleLength = 262_144;

/** A file without a table: the message follows the name of the file. */
export class NoTable extends Error {}

/** Reads a CSV file in parts of bytes. */
export class CsvFile {
  readonly #decoder = new FileDecoder();
  #start = "";
  #reader: CsvReader | undefined;
  #separator = "";
  #header: CsvHeader | undefined;

  /** The header, once its record is read. */
  get header(): CsvHeader | undefined {
    return this.#header;
  }

  /** The records that are complete with this part, without the header. Throws NoTable. */
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
    if (isJson(this.#start))
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
