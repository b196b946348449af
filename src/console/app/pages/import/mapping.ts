import { describeOtherResource, guessColumns } from "../../../../shared/column-guess.ts";
import {
  attributeOf,
  attributePrefix,
  type CellType,
  importedFields,
  isAttributeName,
  type ValueType,
  valueTypeOf,
} from "../../../../shared/file-fields.ts";

/** The fields of an account that a column of a file can be imported as. */
export const members = Object.keys(importedFields.accounts);
export type AttributeTypes = Readonly<Record<string, CellType>>;
/** The type that every value of a column has, by the index of the column. A column without values has none. */
export type ColumnTypes = readonly (ValueType | undefined)[];

/** The target of a column: a member, an attribute, or undefined if the column is not imported. */
export type ColumnMapping = { member: string } | { attribute: string; type: ValueType } | undefined;

/** The targets of the columns, guessed by the rules of `accountd import`. */
export function guessTargets(
  header: readonly string[],
  columnTypes: ColumnTypes,
  types: AttributeTypes,
  samples: readonly (readonly string[])[] = [],
): ColumnMapping[] {
  const guesses = guessColumns({ header, resource: "accounts", attributeTypes: types, samples });
  const targets: ColumnMapping[] = header.map(() => undefined);
  for (const { index, field, type } of guesses) {
    const attribute = field.startsWith(attributePrefix) ? field.slice(attributePrefix.length) : undefined;
    targets[index] =
      attribute === undefined
        ? { member: field }
        : { attribute, type: type ? valueTypeOf(type) : guessType(attribute, columnTypes[index], types) };
  }
  return targets;
}

/** The targets with each column that has none as an attribute, except for one whose attribute another column has. */
export function addAttributes(
  header: readonly string[],
  columnTypes: ColumnTypes,
  types: AttributeTypes,
  targets: readonly ColumnMapping[],
): ColumnMapping[] {
  const added = [...targets];
  for (const index of header.keys()) {
    const attribute = attributeNameOf(columnLabel(header, index), types);
    const isTaken = added.some((target) => target && "attribute" in target && target.attribute === attribute);
    if (!added[index] && !isTaken)
      added[index] = { attribute, type: guessType(attribute, columnTypes[index], types) };
  }
  return added;
}

/** The type of an attribute: the organization's, else the type of all values of the column, else a string. */
export function guessType(
  attribute: string,
  columnType: ColumnTypes[number],
  types: AttributeTypes,
): ValueType {
  const storedType = Object.hasOwn(types, attribute) ? types[attribute] : undefined;
  return storedType ? valueTypeOf(storedType) : (columnType ?? "string");
}

/**
 * The name of an attribute for a column: its own name as it is in the file, or in the case in which the organization has
 * it. A name that an attribute cannot have becomes one word: "GICS Sector" is `gicsSector`.
 */
export function attributeNameOf(column: string, types: AttributeTypes): string {
  const found = attributeOf(column);
  if (found) return found.attribute;
  if (Object.hasOwn(types, column)) return column;
  const stored = Object.keys(types).find((name) => name.toLowerCase() === column.toLowerCase());
  if (stored !== undefined) return stored;
  if (isAttributeName(column)) return column;
  const words = column.normalize("NFD").match(/[A-Za-z0-9]+/g) ?? [];
  const name = words
    .map((word, i) => (i === 0 ? lowerFirst(word) : word.charAt(0).toUpperCase() + word.slice(1)))
    .join("");
  return (/^[A-Za-z]/.test(name) ? name : `column${name}`).slice(0, 64);
}

function lowerFirst(word: string): string {
  return word === word.toUpperCase() ? word.toLowerCase() : word.charAt(0).toLowerCase() + word.slice(1);
}

/** The name of a column on the screen. */
export function columnLabel(header: readonly string[], index: number): string {
  return header[index] || `Column ${index + 1}`;
}

/** What prevents an import with these targets, in sentences. */
export function faultsOf(
  header: readonly string[],
  targets: readonly ColumnMapping[],
  samples: readonly (readonly string[])[] = [],
): string[] {
  const faults: string[] = [];
  const columnOf = new Map<string, string>();
  for (const [i, target] of targets.entries()) {
    if (!target) continue;
    const name = nameOfTarget(target);
    const column = columnLabel(header, i);
    const other = columnOf.get(name);
    if (other !== undefined)
      faults.push(`${other} and ${column} are both imported as ${name}. Choose one of them.`);
    else columnOf.set(name, column);
    if ("attribute" in target && !isAttributeName(target.attribute))
      faults.push(
        `The attribute of ${column} needs a name of 1 to 64 letters, digits and underscores that begins with a letter.`,
      );
  }
  const other = describeOtherResource({ header, samples }, (index) => targets[index] !== undefined);
  if (other)
    faults.push(
      `${other.text} This page imports accounts. Use accountd import --resource${other.isCertain ? "" : ` contacts, or choose what ${other.column} is imported as`}.`,
    );
  if (!columnOf.has("externalId")) faults.push("Choose the column that is imported as externalId.");
  return faults;
}

export function nameOfTarget(target: NonNullable<ColumnMapping>): string {
  return "member" in target ? target.member : attributePrefix + target.attribute;
}
