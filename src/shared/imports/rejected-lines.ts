import { escapeFormula, isNumber, unescapeFormula } from "../cells.ts";
import type { FileRows } from "../resources.ts";
import { type CsvHeader, separators } from "./csv-file.ts";

/** The column by which the file of another resource than accounts is recognized. */
export const resourceColumn = "resource";

/** The number of columns before those that files of rejected lines have added to a file, one or more times. */
export function countOriginalColumns(header: readonly string[], resource: FileRows): number {
  const isOwn = (index: number, name: string) => header[index]?.replace(/ \d+$/, "") === name;
  let count = header.length;
  while (isOwn(count - 2, "line") && isOwn(count - 1, "reason"))
    count -= resource !== "accounts" && isOwn(count - 3, resourceColumn) ? 3 : 2;
  return count;
}

/**
 * The text of a file of rejected lines: the columns and the separator of the imported file, then the number of the line
 * and the reason. Repaired, it can be imported: its cells have the same values, and formulas are escaped.
 */
export class RejectedText {
  readonly #header: CsvHeader;
  readonly #ownCells: readonly string[];
  readonly #ownNames: readonly string[];

  /** `own` are further columns, by name, with the same cell in each line. */
  constructor(header: CsvHeader, own: Readonly<Record<string, string>> = {}) {
    this.#header = header;
    this.#ownCells = Object.values(own);
    this.#ownNames = [...Object.keys(own), "line", "reason"].map((name) => unusedName(name, header.names));
  }

  /** The first line, after a line such as `sep=:` for a separator that is not found without it. */
  header(): string {
    const { names, separator } = this.#header;
    const separatorLine = separators.includes(separator) ? "" : `sep=${separator}\n`;
    return separatorLine + this.#format([...names, ...this.#ownNames]);
  }

  /** A line. It keeps cells that the header has no column for, so that it is rejected again until it is repaired. */
  line(cells: readonly string[], line: number, reason: string): string {
    const { names } = this.#header;
    const hasMore = cells.slice(names.length).some((cell) => cell !== "");
    const original = hasMore ? cells : names.map((_, i) => cells[i] ?? "");
    return this.#format([...original, ...this.#ownCells, String(line), reason]);
  }

  #format(cells: readonly string[]): string {
    return `${cells.map((cell) => this.#formatCell(cell)).join(this.#header.separator)}\n`;
  }

  #formatCell(cell: string): string {
    const isEscaped = unescapeFormula(cell) !== cell;
    const text = isEscaped || isNumber(cell) ? cell : escapeFormula(cell);
    // An unquoted separator of any kind could be taken for the separator of the file.
    const isQuoted = /[",;\t\r\n]|^\s|\s$/.test(text) || text.includes(this.#header.separator);
    return isQuoted ? `"${text.replaceAll('"', '""')}"` : text;
  }
}

/** The name, or the name with a number if `names` have it in any case. */
export function unusedName(name: string, names: readonly string[]): string {
  const used = new Set(names.map((other) => other.toLowerCase()));
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? name : `${name} ${count}`;
    if (!used.has(candidate)) return candidate;
  }
}
