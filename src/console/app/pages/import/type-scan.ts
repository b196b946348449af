import type { ValueType } from "../../../../shared/file-fields.ts";
import { isPlainNumber } from "../../../../shared/numbers.ts";

/** The type that every value of a column has, by the index of the column. A column without values has none. */
export type ColumnTypes = readonly (ValueType | undefined)[];

/** Finds the type of each column of a file. */
export class TypeScan {
  readonly #types: (ValueType | undefined)[] = [];

  add(cells: readonly string[]): void {
    for (const [i, cell] of cells.entries()) {
      const type = this.#types[i];
      if (cell === "" || type === "string") continue;
      // A number is never escaped: `'-5` of an export is a text.
      const found = typeOfText(cell.trim());
      this.#types[i] = type === undefined || type === found ? found : "string";
    }
  }

  get types(): ColumnTypes {
    return this.#types;
  }
}

function typeOfText(text: string): ValueType {
  if (isPlainNumber(text)) return "number";
  return /^(?:true|false)$/i.test(text) ? "boolean" : "string";
}
