import type { CellFormats } from "../../../src/shared/imports/row-cells.ts";
import type { FileRows } from "../../../src/shared/resources.ts";

/** An invented twin of the files that a product exports: its names of columns and forms of values. */
export type Twin = {
  kind: string;
  resource?: FileRows;
  /** The external ids of the accounts that are imported before. */
  accounts?: readonly string[];
  file: string;
  /** The options that a person adds after reading what the command prints. */
  options?: Readonly<Record<string, string>>;
  /** The columns that are imported. Names of attributes have their type. */
  mapping: Readonly<Record<string, string>>;
  /** The formats, as far as they are not the default. */
  formats?: Partial<CellFormats>;
  /** The stored rows, without fields that have their default. */
  rows: readonly Readonly<Record<string, unknown>>[];
  /** The lines that are rejected, with their reasons. */
  rejected?: readonly [line: number, reason: string][];
  /** Why the console cannot import the file. */
  commandOnly?: string;
};
