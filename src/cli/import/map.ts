import { ATTRIBUTES_PARAMETER, attributedResources } from "../../core/attributes/attributes.ts";
import { closestName } from "../../core/did-you-mean.ts";
import { UsageError } from "../../core/settings/operator-error.ts";
import {
  attributeOf,
  attributePrefix,
  type CellType,
  importedFields,
  limitsOfField,
} from "../../shared/file-fields.ts";
import type { ColumnValues, ValueMap } from "../../shared/imports/formats/values.ts";
import { type ChosenFormats, storedType } from "../../shared/imports/import-table.ts";
import type { FieldType } from "../../shared/imports/row-cells.ts";
import type { FileRows } from "../../shared/resources.ts";

/** The field that a column is imported as. An attribute without a type gets the type of its name in the organization. */
export type ColumnTarget = { field: string; type: CellType | undefined };
/** An entry of `--map`: a column by its name or its position, such as `#3`. Without a target it is not imported. */
type MapEntry = { column: string; target: ColumnTarget | undefined };
/** The entries of `--map`, and what the organization has. */
export type ImportMap = {
  resource: FileRows;
  entries: readonly MapEntry[];
  /** The types of the attributes that rows of the resource have, by name. */
  attributeTypes: Readonly<Record<string, CellType>>;
  /** Whether columns that are not in `entries` are imported by their names and values. True by default. */
  isGuessed?: boolean;
  /** Whether `--resource` was written: the file is not proposed as one of another resource. */
  isResourceChosen?: boolean;
  /** The formats that were chosen; the others are proposed. */
  formats?: ChosenFormats;
  values?: readonly ColumnValues[];
};

/**
 * Reads `--map "Symbol=externalId,#2=name,Status=,Founded=attributes.founded:number"`. `\,` is a comma in the name of a
 * column, which ends at the last `=`. Throws UsageError for a field that the resource does not have, for one that two
 * columns are mapped to, and for a column that is left out and imported.
 */
export function parseMap(text: string, resource: FileRows): MapEntry[] {
  const entries: MapEntry[] = [];
  for (const part of text.split(/(?<!\\),/)) {
    const entry = part.replaceAll("\\,", ",");
    const at = entry.lastIndexOf("=");
    const column = entry.slice(0, at).trim();
    if (at < 0 || column === "")
      throw invalidMapping(
        `--map has ${JSON.stringify(entry)}: write COLUMN=FIELD, separated by commas. #3 is the third column.`,
      );
    const name = entry.slice(at + 1).trim();
    const target =
      name === "" ? undefined : (findMappedTarget(name, resource) ?? unknownField(name, resource));
    if (target && entries.some((other) => other.target?.field === target.field))
      throw invalidMapping(`--map has two columns for ${target.field}. Leave one out.`);
    entries.push({ column, target });
  }
  return entries;
}

/** The field with exactly this name, such as `mrr`, `attributes.plan` or `attributes.seats:number`. */
export function findTarget(name: string, resource: FileRows): ColumnTarget | undefined {
  const fields: Readonly<Record<string, CellType>> = importedFields[resource];
  if (Object.hasOwn(fields, name)) return { field: name, type: fields[name] };
  const found = attributedResources[resource] ? attributeOf(name) : undefined;
  return found && { field: attributePrefix + found.attribute, type: found.type };
}

/** The names of fields match exactly or without case; the names of attributes match exactly. */
function findMappedTarget(name: string, resource: FileRows): ColumnTarget | undefined {
  const field = Object.keys(importedFields[resource]).find((other) => isSameName(other, name));
  return findTarget(name, resource) ?? (field === undefined ? undefined : findTarget(field, resource));
}

export function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function unknownField(name: string, resource: FileRows): never {
  const hasAttributes = attributedResources[resource] !== undefined;
  const names = [...Object.keys(importedFields[resource]), ...(hasAttributes ? [ATTRIBUTES_PARAMETER] : [])];
  const closest = closestName(name, names);
  const advice = closest === undefined ? `The fields are ${names.join(", ")}.` : `Did you mean ${closest}?`;
  const hint =
    hasAttributes && name.startsWith(attributePrefix)
      ? "An attribute is attributes.NAME or attributes.NAME:TYPE, with a name of 1 to 64 letters, digits and underscores that begins with a letter, and the type string, number or boolean."
      : advice;
  throw invalidMapping(`A row of ${resource} has no field ${JSON.stringify(name)}. ${hint}`);
}

/** The index of a column that `--map` names by its position; undefined for a name. */
export function indexOfPosition(column: string): number | undefined {
  const position = /^#([1-9]\d{0,8})$/.exec(column)?.[1];
  return position === undefined ? undefined : Number(position) - 1;
}

/** The field of a target with its type: its own, or the one of the attribute in the organization, or else a string. */
export function fieldTypeOf({ field, type }: ColumnTarget, map: ImportMap): FieldType {
  return { field, type: type ?? storedType(field, map) ?? "string", ...limitsOfField(map.resource, field) };
}

/** The values of `--values` for a column, in all its entries. Throws UsageError for a value that is replaced twice. */
export function findValues(
  { values = [] }: ImportMap,
  isColumn: (column: string) => boolean,
): ValueMap | undefined {
  const entries = values.filter(({ column }) => isColumn(column));
  const pairs = entries.flatMap((entry) => [...entry.values]);
  const merged = new Map(pairs);
  if (merged.size < pairs.length)
    throw invalidMapping(`--values has a value of the column ${entries[0]?.column} twice. Leave one out.`);
  return pairs.length === 0 ? undefined : merged;
}

/** Throws UsageError where `--values` replaces a value by one that the list of the field does not have. */
export function assertChoices({ field, choices, values }: FieldType): void {
  const isChoice = (text: string) => choices?.some((choice) => choice.toLowerCase() === text.toLowerCase());
  const other = choices && [...(values?.values() ?? [])].find((text) => text !== "" && !isChoice(text));
  if (other !== undefined)
    throw invalidMapping(
      `--values has ${JSON.stringify(other)}, which is no ${field}: it is ${choices?.join(", ")}.`,
    );
}

export function invalidMapping(message: string): UsageError {
  return new UsageError(message, "invalid_mapping");
}
