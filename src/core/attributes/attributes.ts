import type { AttributeResource, AttributeType } from "../../../db/schema.ts";
import { attributeNamePattern, attributePrefix } from "../../shared/file-fields.ts";
import { invalidField, Problem } from "../errors.ts";
import { parseStoredJson } from "../stored-json.ts";

export type AttributeValue = string | number | boolean;
/** The members that callers add to an account or a contact, by name. */
export type Attributes = Record<string, AttributeValue>;
/** Attributes to set; null removes one. */
export type AttributeChanges = Record<string, AttributeValue | null>;

/** The resources whose rows have attributes, by their names in paths. */
export const attributedResources: { readonly [path: string]: AttributeResource | undefined } = {
  accounts: "account",
  contacts: "contact",
};

export { attributeNamePattern, attributePrefix };
/** The name of the parameter, the column or the value of `sortBy` of an attribute in documents and messages. */
export const ATTRIBUTES_PARAMETER = `${attributePrefix}NAME`;

export const maxAttributes = 50;
/** The attributes of a row are at most this many bytes of JSON, unless they were more before. */
export const maxAttributesBytes = 32_768;
export const NO_ATTRIBUTES = "{}";

/** The attributes of a stored text. Throws DatabaseDamaged. Names such as `constructor` are own members. */
export function parseAttributes(stored: string): Attributes {
  // Safe: `mergeAttributes` made the text.
  return stored === NO_ATTRIBUTES ? {} : (parseStoredJson(stored) as Attributes);
}

export function attributeTypeOf(value: AttributeValue): AttributeType {
  // Safe: the type of a value has no other types.
  return typeof value as AttributeType;
}

/**
 * The stored text after the changes. Equal attributes have equal texts: the names are sorted. Throws `invalid_request`
 * for too many attributes, and `attributes_too_large`.
 */
export function mergeAttributes(
  stored: string = NO_ATTRIBUTES,
  changes: AttributeChanges | undefined = undefined,
): string {
  if (changes === undefined) return stored;
  const merged = new Map(Object.entries(parseAttributes(stored)));
  for (const [name, value] of Object.entries(changes))
    if (value === null) merged.delete(name);
    else merged.set(name, value);
  if (merged.size > maxAttributes)
    throw invalidField(
      "/attributes",
      "too_many",
      `must leave the row with at most ${maxAttributes} attributes; null removes one`,
    );
  const sorted = [...merged].sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify(Object.fromEntries(sorted));
  const size = Buffer.byteLength(text);
  if (size <= maxAttributesBytes || size <= Buffer.byteLength(stored)) return text;
  const detail = `must leave the row with at most ${maxAttributesBytes} bytes of JSON, not ${size}; null removes one`;
  throw new Problem("attributes_too_large", {
    errors: [{ pointer: "/attributes", code: "attributes_too_large", detail }],
  });
}

/** The attributes that differ between two stored texts, in each of them; null where the text has none. */
export function differingAttributes(
  before: string,
  after: string,
): { before: AttributeChanges; after: AttributeChanges } {
  const [old, updated] = [before, after].map((text) => new Map(Object.entries(parseAttributes(text))));
  const names = [...new Set([...(old?.keys() ?? []), ...(updated?.keys() ?? [])])].sort();
  const differing = names.filter((name) => old?.get(name) !== updated?.get(name));
  const pick = (values: typeof old) =>
    Object.fromEntries(differing.map((name) => [name, values?.get(name) ?? null]));
  return { before: pick(old), after: pick(updated) };
}
