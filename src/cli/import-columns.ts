import { closestName } from "../core/did-you-mean.ts";
import { UsageError } from "../core/operator-error.ts";
import { unescapeFormula } from "../exports/formats.ts";
import { type ImportedResource, importedMembers } from "../imports/rows.ts";

/** The member that a column is imported as. */
export type Target = { member: string; type: "text" | "number" };
/** A column of the file: `index` counts from 0. */
export type MappedColumn = Target & { index: number };
export type ColumnMap = {
  columns: MappedColumn[];
  /** The names of the columns that are not imported. */
  ignored: string[];
};
/** Columns by `--map`: the name of the column, and the member. */
export type NamedTarget = Target & { column: string };

/**
 * Reads `--map "Symbol=externalId,Security=name"`. `\,` is a comma in the name of a column, which ends at the last `=`.
 * Throws UsageError for a member that the resource does not have, or that two columns are mapped to.
 */
export function parseMap(text: string, resource: ImportedResource): NamedTarget[] {
  const targets: NamedTarget[] = [];
  for (const part of text.split(/(?<!\\),/)) {
    const entry = part.replaceAll("\\,", ",");
    const at = entry.lastIndexOf("=");
    const column = entry.slice(0, at).trim();
    if (at < 0 || column === "")
      throw invalidMapping(`--map has ${JSON.stringify(entry)}: write COLUMN=MEMBER, separated by commas.`);
    const target = targetOf(entry.slice(at + 1).trim(), resource);
    if (targets.some(({ member }) => member === target.member))
      throw invalidMapping(`--map has two columns for ${target.member}. Leave one out.`);
    targets.push({ column, ...target });
  }
  return targets;
}

function targetOf(name: string, resource: ImportedResource): Target {
  const members = importedMembers[resource];
  const type = Object.hasOwn(members, name) ? members[name] : undefined;
  if (type) return { member: name, type };
  const names = Object.keys(members);
  const closest = closestName(name, names);
  throw invalidMapping(
    `A row of ${resource} has no member ${JSON.stringify(name)}. ${closest === undefined ? `The members are ${names.join(", ")}.` : `Did you mean ${closest}?`}`,
  );
}

/**
 * The columns of a file with this header: those of the map, and those with the name of a member that is not in the map.
 * Throws UsageError for a column of the map that is not in the file, for an imported column that is there twice, and
 * without a column for `externalId`.
 */
export function mapColumns(
  header: readonly string[],
  targets: readonly NamedTarget[],
  resource: ImportedResource,
): ColumnMap {
  const columns = targets.map(({ column, ...target }) => ({ ...target, index: indexOf(header, column) }));
  const members = new Set(columns.map(({ member }) => member));
  for (const [member, type] of Object.entries(importedMembers[resource]))
    if (!members.has(member) && header.includes(member))
      columns.push({ member, type, index: indexOf(header, member) });
  if (!columns.some(({ member }) => member === "externalId"))
    throw invalidMapping(
      `No column is imported as externalId. Add --map "COLUMN=externalId". The columns are ${header.join(", ")}.`,
    );
  const imported = new Set(columns.map(({ index }) => index));
  return { columns, ignored: header.filter((name, index) => name !== "" && !imported.has(index)) };
}

function indexOf(header: readonly string[], column: string): number {
  const index = header.indexOf(column);
  if (index >= 0 && header.indexOf(column, index + 1) < 0) return index;
  if (index >= 0) throw invalidMapping(`The file has the column ${column} twice. Rename one of them.`);
  const closest = closestName(column, header);
  throw invalidMapping(
    `The file has no column ${column}. ${closest === undefined ? `Its columns are ${header.join(", ")}.` : `Did you mean ${closest}?`}`,
  );
}

/** A number as spreadsheets and JSON write it. */
const numberText = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The members of a line of CSV. An empty field is not sent. What is no number stays a text, which is refused. */
export function readCells(
  columns: readonly MappedColumn[],
  cells: readonly string[],
): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const { member, type, index } of columns) {
    const text = unescapeFormula(cells[index] ?? "");
    if (text === "") continue;
    row[member] = type === "number" && numberText.test(text.trim()) ? Number(text) : text;
  }
  return row;
}

function invalidMapping(message: string): UsageError {
  return new UsageError(message, "invalid_mapping");
}
