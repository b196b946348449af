import { type ValueType, valueTypes } from "../../../shared/file-fields.ts";
import type { MemberValue } from "./members.ts";

/** The names of the types of attributes on the screen. */
export const attributeTypeNames: Readonly<Record<ValueType, string>> = {
  string: "Text",
  number: "Number",
  boolean: "Yes or no",
};

export const attributeTypeOptions = valueTypes.map((type) => [type, attributeTypeNames[type]] as const);

/** The type of a value; null counts as a text. */
export function attributeTypeOf(value: MemberValue): ValueType {
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "boolean" : "string";
}
