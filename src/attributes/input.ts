import { type Static, Type } from "@sinclair/typebox";
import { declaredTypes } from "../../db/schema.ts";
import { attributedResources, attributeNamePattern } from "../core/attributes/attributes.ts";
import { WriteQuery } from "../http/resource/write-schemas.ts";
import { choice, nullableText, text } from "../http/validation/shapes.ts";
import type { DeclarationInput } from "./declare.ts";

const resource = Type.Optional(
  choice(["accounts", "contacts"], {
    default: "accounts",
    description: "The rows that have the attributes",
  }),
);
export const AttributeListQuery = Type.Object({ resource }, { additionalProperties: true });
export const DeclareAttributeQuery = Type.Object(
  { resource, ...WriteQuery.properties },
  { additionalProperties: true },
);

export function resourceOf({ resource = "accounts" }: Static<typeof AttributeListQuery>) {
  const attributed = attributedResources[resource];
  if (!attributed) throw new Error("the query has a resource without attributes");
  return attributed;
}

export const AttributePath = Type.Object({
  name: text({
    pattern: `^${attributeNamePattern}$`,
    description: "Its name",
    examples: ["plan"],
  }),
});

export const AttributeDeclarationBody = Type.Object(
  {
    type: choice(declaredTypes, { examples: ["date"] }),
    label: Type.Optional(nullableText({ maxLength: 255, examples: ["Renewal"] })),
    description: Type.Optional(nullableText({ maxLength: 1_000, examples: ["Of the contract"] })),
    convert: Type.Optional(Type.Boolean({ description: "Convert texts", examples: [true] })),
  },
  {
    $id: "AttributeDeclaration",
    additionalProperties: true,
    examples: [{ type: "date", label: "Renewal" }],
  },
);

export function readDeclaration({
  type,
  label = null,
  description = null,
  convert = false,
}: Static<typeof AttributeDeclarationBody>): DeclarationInput {
  return { type, label, description, canConvert: convert };
}
