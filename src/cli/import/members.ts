import { attributedResources } from "../../core/attributes/attributes.ts";
import { UsageError } from "../../core/settings/operator-error.ts";
import {
  accountReference,
  attributeOf,
  attributePrefix,
  importedFields,
  valueTypeOf,
} from "../../shared/file-fields.ts";
import { isUsageDay } from "../../shared/imports/column-guess.ts";
import { replaceValue } from "../../shared/imports/formats/values.ts";
import { formatsOf } from "../../shared/imports/import-table.ts";
import {
  convertCell,
  describeUnreadable,
  type FieldType,
  type ReadRow,
  rowOf,
  setField,
  unreadable,
} from "../../shared/imports/row-cells.ts";
import { subResourceChoice } from "../../shared/resources.ts";
import {
  assertChoices,
  fieldTypeOf,
  findTarget,
  findValues,
  type ImportMap,
  indexOfPosition,
  invalidMapping,
  isSameName,
} from "./map.ts";

/** The names of ignored members that are remembered, which are listed at the end. */
const maxIgnored = 100;

/** Why a line is rejected that would be imported as an account. */
const otherResource = `rows of accounts have no ${accountReference}: add --resource ${subResourceChoice}`;

const usageDay = "the line looks like a day of usage: add --resource usage-days, or --resource accounts";

/**
 * What was read so far: the names that are not imported, the one that was read as `accountExternalId`, and the columns of
 * options that no line has had, by their names in lower case.
 */
export type MemberNotes = {
  ignored: Set<string>;
  accountColumn: string | undefined;
  missing: Map<string, string>;
};

/**
 * A function that returns the fields of an object of JSON lines that are imported. A member of the map is what the map
 * says and nothing else; the others are the fields with their exact names. A text is converted if its member is in the map
 * or has other values, and if it is a date; another value if its member is in the map with a type. Other values stay. An
 * option may name a member of `attributes`, such as `attributes.plan`. Throws UsageError for a map with positions, for
 * `--values` of a member that is not imported, and for `--empty clear`.
 */
export function mapMembers(map: ImportMap, notes: MemberNotes) {
  const { resource, entries } = map;
  const position = entries.find(({ column }) => indexOfPosition(column) !== undefined)?.column;
  if (position !== undefined)
    throw invalidMapping(`JSON lines have no column ${position}. Write the name of the field.`);
  const fields = Object.keys(importedFields[resource]);
  const mapped = new Set(entries.map(({ target }) => target?.field));
  const own = [...fields, ...(attributedResources[resource] ? ["attributes"] : [])];
  const free = map.isGuessed === false ? [] : own.filter((field) => !mapped.has(field));
  const formats = formatsOf(map.formats ?? {});
  const columns = [...entries, ...(map.values ?? [])].map(({ column }) => column);
  for (const column of columns) notes.missing.set(column.toLowerCase(), column);
  const attributes = attributedResources[resource] ? columns.filter((column) => attributeOf(column)) : [];
  const members = free.filter((name) => findTarget(name, resource));
  const names = [
    ...members,
    ...attributes,
    ...entries.flatMap(({ column, target }) => (target ? column : [])),
  ];
  const values = new Map(names.map((name) => [name, findValues(map, (column) => isSameName(column, name))]));
  const unknown = map.values?.find(({ column }) => !names.some((name) => isSameName(column, name)));
  if (unknown)
    throw invalidMapping(
      `--values replaces values of the member ${unknown.column}, which is not imported. Add it to --map.`,
    );
  const targets = [
    ...members.map((name) => ({ column: name, target: findTarget(name, resource) })),
    ...entries,
  ];
  for (const { column, target } of targets)
    if (target) assertChoices({ ...fieldTypeOf(target, map), values: values.get(column) });
  if (map.formats?.isEmptyCleared)
    throw new UsageError("--empty clear is for CSV. JSON lines clear a value by null.");

  /** Sets the field to the value of a member, or adds its fault. A text that is replaced by none is not imported. */
  function setValue(
    row: Record<string, unknown>,
    faults: Record<string, string>,
    value: unknown,
    type: FieldType,
    isTyped = false,
  ) {
    if (typeof value !== "string" && !(isTyped && isOtherType(value, type)))
      return setField(row, type.field, value);
    const text = replaceValue(String(value), type.values);
    if (text === "" && value !== "") return;
    const converted = convertCell(text, type, formats);
    if (converted === undefined) faults[type.field] = describeUnreadable(text, type, formats);
    setField(row, type.field, converted ?? unreadable);
  }

  return (line: Readonly<Record<string, unknown>>): ReadRow => {
    const members = attributes.length === 0 ? line : flattenAttributes(line);
    const isOfAttribute = (name: string) => name.startsWith(attributePrefix) && !mapped.has(name);
    const freeAttributes = map.isGuessed === false ? [] : Object.keys(members).filter(isOfAttribute);
    const row: Record<string, unknown> = {};
    const faults: Record<string, string> = {};
    const keys: (string | undefined)[] = [];
    for (const { column } of entries) {
      const [key, other] = keysOf(members, column);
      if (other !== undefined) return { fault: `the fields ${key} and ${other} differ in case only` };
      keys.push(key);
    }
    if (
      resource === "accounts" &&
      Object.hasOwn(members, accountReference) &&
      !keys.includes(accountReference)
    )
      return { fault: otherResource };
    if (
      resource === "accounts" &&
      !map.isResourceChosen &&
      !keys.includes("event") &&
      isUsageDay(Object.keys(members))
    )
      return { fault: usageDay };
    const imported = new Set<string>();
    for (const name of attributes.length === 0 ? free : [...free, ...freeAttributes]) {
      if (!Object.hasOwn(members, name) || keys.includes(name)) continue;
      // The id that accountd assigned is next to `accountExternalId`, as in an export.
      const isReference = name === "accountId" && !Object.hasOwn(members, accountReference);
      const field = isReference ? accountReference : name;
      if (mapped.has(field)) continue;
      if (isReference) notes.accountColumn = name;
      imported.add(name);
      const target = findTarget(field, resource);
      if (target && (values.get(name) || target.type === "date"))
        setValue(row, faults, members[name], { ...fieldTypeOf(target, map), values: values.get(name) });
      else setField(row, field, members[name]);
      if (field === "accountId" && Object.hasOwn(members, "id")) row.id = members.id;
    }
    for (const [i, { column, target }] of entries.entries()) {
      const key = keys[i];
      if (key === undefined || !target) continue;
      imported.add(key);
      const type = { ...fieldTypeOf(target, map), values: values.get(column) };
      setValue(row, faults, members[key], type, target.type !== undefined);
    }
    if (notes.missing.size > 0)
      for (const name of Object.keys(members)) notes.missing.delete(name.toLowerCase());
    for (const name of Object.keys(members))
      if (notes.ignored.size < maxIgnored && !imported.has(name)) notes.ignored.add(name);
    return rowOf(row, faults);
  };
}

/** Whether a number or a boolean is one of another type. */
function isOtherType(value: unknown, { type }: FieldType): boolean {
  const isScalar = typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
  return isScalar && typeof value !== valueTypeOf(type);
}

/** The members with each attribute as a member of its own, such as `attributes.plan`. */
function flattenAttributes(line: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { attributes, ...members }: Record<string, unknown> = line;
  if (typeof attributes !== "object" || attributes === null || Array.isArray(attributes)) return { ...line };
  for (const [name, value] of Object.entries(attributes)) members[attributePrefix + name] = value;
  return members;
}

/** The member with exactly this name, else those with this name in another case. */
function keysOf(members: Readonly<Record<string, unknown>>, column: string): string[] {
  if (Object.hasOwn(members, column)) return [column];
  return Object.keys(members).filter((name) => isSameName(name, column));
}

/** The fields that are not filled, because the map says something else about the member with their name. */
export function unfilledFields({ resource, entries }: ImportMap): string[] {
  return Object.keys(importedFields[resource]).filter(
    (field) =>
      entries.some(({ column, target }) => target && isSameName(column, field)) &&
      !entries.some(({ target }) => target?.field === field),
  );
}
