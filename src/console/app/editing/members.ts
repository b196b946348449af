import type { HealthTier } from "../../../shared/fields/tiers.ts";
import { attributePrefix, type ValueType, valueTypes } from "../../../shared/file-fields.ts";
import { formatMrr, formatNumber, formatTime } from "../format.ts";
import { editing, fields as text } from "../messages/messages.ts";

/** The value of a member. An attribute is a member such as `attributes.plan`. */
export type MemberValue = string | number | boolean | null;
export type RowMembers = Readonly<Record<string, MemberValue>>;

/** The version of a row that a reply has, for `If-Match`. */
export type EditableRow = { members: RowMembers; etag: string };

/** The members of a row that are values, and its attributes. */
export function membersOf(row: object): RowMembers {
  const members: Record<string, MemberValue> = {};
  for (const [name, value] of Object.entries(row)) {
    if (isValue(value)) members[name] = value;
    if (name !== "attributes" || typeof value !== "object" || value === null) continue;
    for (const [attribute, item] of Object.entries(value))
      if (isValue(item)) members[attributePrefix + attribute] = item;
  }
  return members;
}

/** The names whose values differ, in the order of `after`. An absent member equals null. */
export function differingNames(before: RowMembers, after: RowMembers): string[] {
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...names].filter((name) => (before[name] ?? null) !== (after[name] ?? null));
}

/** The members to send in a PATCH: null removes a member. */
export function changesBetween(before: RowMembers, after: RowMembers): RowMembers {
  return Object.fromEntries(differingNames(before, after).map((name) => [name, after[name] ?? null]));
}

/** The body of a request: attributes become an object. */
export function bodyOf<Body>(members: RowMembers): Body {
  const body: Record<string, MemberValue | Record<string, MemberValue>> = {};
  const attributes: Record<string, MemberValue> = {};
  for (const [name, value] of Object.entries(members)) {
    if (name.startsWith(attributePrefix)) attributes[name.slice(attributePrefix.length)] = value;
    else body[name] = value;
  }
  if (Object.keys(attributes).length > 0) body.attributes = attributes;
  // Safe: the fields of a dialog are members of the body; the server checks their values.
  return body as Body;
}

function isValue(value: unknown): value is MemberValue {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

/** The names of the types of attributes on the screen. */
const attributeTypeNames: Readonly<Record<ValueType, string>> = text.types;

export const attributeTypeOptions = valueTypes.map((type) => [type, attributeTypeNames[type]] as const);

/** The type of a value; null counts as a text. */
export function attributeTypeOf(value: MemberValue): ValueType {
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "boolean" : "string";
}

const labels: Readonly<Record<string, string>> = text.labels;
const values: Readonly<Record<string, Readonly<Record<string, string>>>> = text.values;

/** Whether a field has a name on the screen. */
export function hasLabel(name: string): boolean {
  return Object.hasOwn(labels, name);
}

/** The name of a member on the screen, or of an attribute. */
export function labelOf(name: string): string {
  if (name.startsWith(attributePrefix)) return name.slice(attributePrefix.length);
  return hasLabel(name) ? (labels[name] ?? name) : name;
}

/** The texts of the values of a field; empty for a field whose values are shown as they are. */
export function valueLabelsOf(name: string): Readonly<Record<string, string>> {
  return values[name] ?? {};
}

/** The name of a tier on the screen; null: without a score. */
export function nameOfTier(tier: HealthTier | null): string {
  return text.values.tier[tier ?? "none"];
}

/** A detail of the API with the names that types have on the screen. */
export function withTypeNames(detail: string): string {
  return detail
    .replace(/\ba string\b/g, editing.aString)
    .replace(/\ba boolean\b/g, `"${attributeTypeNames.boolean}"`);
}

/** A value in words: times and numbers in the locale. A text of an attribute stays as it is. */
export function formatMember(name: string, value: MemberValue | undefined): string {
  if (value === undefined || value === null) return text.none;
  if (typeof value === "boolean") return text[`${value}`];
  if (typeof value === "number") return name === "mrr" ? formatMrr(value) : formatNumber(value);
  if (value === "") return text.emptyText;
  return /At$/.test(name) && !name.startsWith(attributePrefix)
    ? formatTime(value)
    : (valueLabelsOf(name)[value] ?? value);
}
