import type { MemberValue } from "./members.ts";

/** The types of attributes, and their names on the screen. */
export const attributeTypes = ["string", "number", "boolean"] as const;
export type ConsoleAttributeType = (typeof attributeTypes)[number];

export const attributeTypeNames: Readonly<Record<ConsoleAttributeType, string>> = {
  string: "Text",
  number: "Number",
  boolean: "Yes or no",
};

/** The type of a value; null counts as a text. */
export function attributeTypeOf(value: MemberValue): ConsoleAttributeType {
  if (typeof value === "number") return "number";
  return typeof value === "boolean" ? "boolean" : "string";
}
