import { Kind, Type, TypeRegistry } from "@sinclair/typebox";
import {
  type AttributeChanges,
  type Attributes,
  type AttributeValue,
  attributeNamePattern,
} from "../../core/attributes/attributes.ts";
import { type Violation, validate } from "./constraints.ts";

const ATTRIBUTES_KIND = "accountd:attributes";
TypeRegistry.Set(ATTRIBUTES_KIND, (_, value) => attributeViolations(value).next().done === true);

const maxValueLength = 500;
const namePattern = new RegExp(`^${attributeNamePattern}$`);
const propertyNames = { pattern: namePattern.source };

export const attributesShape = Type.Unsafe<Attributes>({
  type: "object",
  additionalProperties: { type: ["string", "number", "boolean"] },
  description: "The caller's own fields, sorted by name",
  examples: [{ plan: "pro", seats: 25 }],
  $id: "Attributes",
});

/** The attributes that a change set or removed. */
export const changedAttributesShape = Type.Unsafe<AttributeChanges>({
  type: "object",
  additionalProperties: { type: ["string", "number", "boolean", "null"] },
  description: "The attributes that differ; null where the row has none",
  examples: [{ plan: "pro" }],
  $id: "ChangedAttributes",
});

/** The attributes in a body. `attributeViolations` validates them. */
export const attributesInput = Type.Unsafe<AttributeChanges>({
  type: "object",
  propertyNames,
  additionalProperties: { type: ["string", "number", "boolean", "null"], maxLength: maxValueLength },
  description:
    "The caller's own fields, at most 50 of a row. Absent ones stay unchanged, null removes one. A name has one type in all accounts, and one in all contacts",
  examples: [{ plan: "pro", seats: 25, trial: null }],
  $id: "AttributeChanges",
  [Kind]: ATTRIBUTES_KIND,
});

export function isAttributesInput(schema: { [Kind]: string }): boolean {
  return schema[Kind] === ATTRIBUTES_KIND;
}

/** What is invalid in attributes. Pointers begin at the attributes; they have valid names only. */
export function* attributeViolations(value: unknown): Generator<Violation & { pointer: string }> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    yield { pointer: "", code: "wrong_type", detail: "must be an object" };
    return;
  }
  let hasInvalidName = false;
  for (const [name, member] of Object.entries(value)) {
    if (!namePattern.test(name)) hasInvalidName = true;
    else {
      const violation = valueViolation(member);
      if (violation) yield { pointer: `/${name}`, ...violation };
    }
  }
  if (hasInvalidName)
    yield {
      pointer: "",
      code: "not_allowed",
      detail:
        "must have names of 1 to 64 letters, digits and underscores that begin with a letter (A-Z, a-z)",
    };
}

/** Whether a row can have this attribute. The value null removes it. */
export function isAttribute(name: string, value: unknown): value is AttributeValue | null {
  return namePattern.test(name) && !valueViolation(value);
}

function valueViolation(value: unknown): Violation | undefined {
  if (value === null || typeof value === "boolean") return undefined;
  if (typeof value === "string") return validate({ type: "string", maxLength: maxValueLength }, value);
  if (typeof value === "number") return validate({ type: "number" }, value);
  return { code: "wrong_type", detail: "must be a string, a number, true, false or null" };
}
