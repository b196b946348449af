import type { MemberValue } from "./members.ts";

/** The types of attributes, and their names on the screen. */
export const attributeTypes = ["string", "number", "boolean"] as const;
export type AttributeType = (typeof attributeTypes)[number];

export const attributeTypeNames: Readonly<Record<AttributeType, string>> = {
  string: "Text",
  number: "Number",
  boolean: "Yes or no",
};

/** The type of a value. That of none is a text. */
export function attributeTypeOf(value: MemberValue): AttributeType {
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "boolean" : "string";
}
