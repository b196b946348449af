import { attributePrefix } from "../../../shared/file-fields.ts";

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
