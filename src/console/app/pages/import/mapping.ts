import {
  attributeOf,
  attributePrefix,
  type CellType,
  importedFields,
  isAttributeName,
  type ValueType,
  valueTypeOf,
} from "../../../../shared/file-fields.ts";
import {
  describeOtherResource,
  guessColumns,
  storedAttribute,
} from "../../../../shared/imports/column-guess.ts";
import { labelOf } from "../../editing/members.ts";
import { importing as text } from "../../messages/messages.ts";

/** The fields of an account that a column of a file can be imported as. */
export const members = Object.keys(importedFields.accounts);
export type AttributeTypes = Readonly<Record<string, CellType>>;

/**
 * The target of a column: a member, an attribute, or undefined if the column is not imported. An attribute without a type
 * gets the organization's, else the type of all values of the column.
 */
export type ColumnMapping =
  | { member: string }
  | { attribute: string; type?: ValueType | undefined }
  | undefined;

/** The targets of the columns, guessed by the rules of `accountd import`. */
export function guessTargets(
  header: readonly string[],
  types: AttributeTypes,
  samples: readonly (readonly string[])[] = [],
): ColumnMapping[] {
  const guesses = guessColumns({ header, resource: "accounts", attributeTypes: types, samples });
  const targets: ColumnMapping[] = header.map(() => undefined);
  for (const { index, field, type } of guesses) {
    const attribute = field.startsWith(attributePrefix) ? field.slice(attributePrefix.length) : undefined;
    targets[index] =
      attribute === undefined ? { member: field } : { attribute, type: type && valueTypeOf(type) };
  }
  return targets;
}

/** The targets with each column that has none as an attribute, except for one whose attribute another column has. */
export function addAttributes(
  header: readonly string[],
  types: AttributeTypes,
  targets: readonly ColumnMapping[],
): ColumnMapping[] {
  const added = [...targets];
  for (const index of header.keys()) {
    const attribute = attributeNameOf(columnLabel(header, index), types);
    const isTaken = added.some((target) => target && "attribute" in target && target.attribute === attribute);
    if (!added[index] && !isTaken) added[index] = { attribute };
  }
  return added;
}

/**
 * The name of an attribute for a column: an attribute of the organization with a similar name, else its own name as it
 * is in the file, with `_` where an attribute's name has no such character: "GICS Sector" is `GICS_Sector`.
 */
export function attributeNameOf(column: string, types: AttributeTypes): string {
  const found = attributeOf(column);
  if (found) return found.attribute;
  const stored = storedAttribute(column, types);
  if (stored !== undefined) return stored;
  const words = column.normalize("NFD").replace(/\p{M}/gu, "").match(/\w+/g) ?? [];
  const name = words.join("_");
  return (/^[A-Za-z]/.test(name) ? name : `column_${name}`).slice(0, 64);
}

/** The name of a column on the screen. */
export function columnLabel(header: readonly string[], index: number): string {
  return header[index] || text.columns.unnamed(index + 1);
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
    if (other !== undefined) faults.push(text.faults.twice(other, column, labelOf(name)));
    else columnOf.set(name, column);
    if ("attribute" in target && !isAttributeName(target.attribute))
      faults.push(text.faults.attributeName(column));
  }
  const other = describeOtherResource({ header, samples }, (index) => targets[index] !== undefined);
  if (other)
    faults.push(
      other.resource
        ? text.faults.perhapsOther(other.text, other.column, other.resource)
        : text.faults.other(other.text),
    );
  if (!columnOf.has("externalId")) faults.push(text.faults.noKey(labelOf("externalId")));
  return faults;
}

export function nameOfTarget(target: NonNullable<ColumnMapping>): string {
  return "member" in target ? target.member : attributePrefix + target.attribute;
}
