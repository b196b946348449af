import { type Static, Type } from "@sinclair/typebox";
import { declaredTypes } from "../../db/schema.ts";
import type { AttributeValue } from "../core/attributes/attributes.ts";
import { choice, dataOf, integer, nullableText, text } from "../http/validation/shapes.ts";
import type { ListedAttribute } from "./list.ts";

const FrequentValueShape = Type.Object(
  {
    value: Type.Unsafe<AttributeValue>({ type: ["string", "number", "boolean"], examples: ["pro"] }),
    count: integer({ minimum: 1, description: "Number of the counted values", examples: [12] }),
  },
  { $id: "FrequentValue" },
);
const AttributeShape = Type.Object(
  {
    name: text({ examples: ["plan"] }),
    type: choice(declaredTypes, { examples: ["string"] }),
    count: integer({ minimum: 0, description: "Number of rows that have the attribute", examples: [40] }),
    values: Type.Array(FrequentValueShape, {
      maxItems: 10,
      description: "The most frequent values of a sample",
    }),
    label: Type.Optional(nullableText({ examples: ["Plan"] })),
    description: Type.Optional(nullableText({ examples: ["Of the contract"] })),
    pending: Type.Optional(Type.Boolean({ description: "Texts are being converted", examples: [false] })),
  },
  {
    $id: "Attribute",
    description: "A name of the caller's own fields of accounts or contacts. A declared one has `pending`",
  },
);
export const AttributeListReply = Type.Object(
  { data: Type.Array(AttributeShape) },
  { $id: "AttributesReply" },
);
export const AttributeReply = dataOf(AttributeShape, "AttributeReply");

export function presentAttribute({ declared, ...attribute }: ListedAttribute): Static<typeof AttributeShape> {
  if (!declared) return attribute;
  const { label, description, isPending } = declared;
  return { ...attribute, label, description, pending: isPending === 1 };
}
