import { stringify } from "csv-stringify/sync";
import { escapeFormula } from "../shared/cells.ts";
import { type FileRows, fieldsOf } from "../shared/resources.ts";

/** The members of an exported row: its keys, then its other fields. An import reads the fields that callers can set. */
export const exportedNames = (resource: FileRows): string[] => {
  if (resource === "usage-days") return Object.keys(fieldsOf(resource));
  const keys =
    resource === "accounts" ? ["id", "externalId"] : ["id", "externalId", "accountId", "accountExternalId"];
  const others = Object.entries(fieldsOf(resource)).filter(
    ([name, { kind }]) => kind !== "flag" && !keys.includes(name),
  );
  return [...keys, ...others.map(([name]) => name)];
};

/** The names of the columns, in their order. In CSV, the columns of the attributes follow. */
export function columnsOf(resource: FileRows): string[] {
  return exportedNames(resource).filter((name) => fieldsOf(resource)[name]?.kind !== "attributes");
}

/** The members that `include` adds to accounts. */
export const exportIncludable = ["health", "contactActivity"] as const;

const includedColumns = {
  health: ["health.score", "health.tier"],
  contactActivity: ["contactActivity.at", "contactActivity.source"],
} as const satisfies Record<(typeof exportIncludable)[number], readonly string[]>;

export function addedColumns(wanted: ReadonlySet<string>): string[] {
  return exportIncludable.flatMap((name) => (wanted.has(name) ? includedColumns[name] : []));
}

/** A member of a row with members of its own, such as the attributes: in CSV a column for each, `NAME.MEMBER`. */
type ExportedObject = Readonly<Record<string, unknown>>;
/** A row of an export: its values by column, and its objects. */
export type ExportedRow = Readonly<Record<string, string | number | null | ExportedObject>>;

export const exportFormats = ["csv", "jsonl"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** What is done with texts that a spreadsheet would run as a formula. */
export const formulaModes = ["escape", "keep"] as const;
/** The format of an export, and the parameters of CSV: `bom=true` begins it with a byte-order mark. */
export type ExportStyle = {
  format: ExportFormat;
  bom?: string | undefined;
  formulas?: (typeof formulaModes)[number] | undefined;
};

function formatCsv(rows: unknown[][], { formulas = "escape" }: ExportStyle): string {
  return stringify(rows, {
    // Texts only: the number -5 is no formula.
    cast: { boolean: String, ...(formulas === "escape" && { string: escapeFormula }) },
    // Readers end a line at a carriage return, too, and some remove spaces around a field.
    quoted_match: [/\r/, /^\s/, /\s$/],
  });
}

/** What an export begins with: in CSV the names of the columns. */
export function formatHeader(style: ExportStyle, columns: readonly string[]): string {
  if (style.format === "jsonl") return "";
  return (style.bom === "true" ? "\uFEFF" : "") + formatCsv([[...columns]], style);
}

/** Rows as lines of CSV (RFC 4180, with line feeds), or one JSON object each. */
export function formatRows(
  style: ExportStyle,
  columns: readonly string[],
  rows: readonly ExportedRow[],
): string {
  if (style.format === "jsonl") return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  return formatCsv(
    rows.map((row) => columns.map((name) => cellOf(row, name))),
    style,
  );
}

/** The value of a column: a member of the row or, for a name such as `attributes.plan`, of one of its objects. */
function cellOf(row: ExportedRow, column: string): unknown {
  const [name = "", ...path] = column.split(".");
  const value = row[name];
  if (typeof value !== "object" || value === null) return path.length === 0 ? value : null;
  const member = path.join(".");
  return Object.hasOwn(value, member) ? value[member] : null;
}
