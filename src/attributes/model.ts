import { Type } from "@sinclair/typebox";
import { attributeTypes } from "../../db/schema.ts";
import type { AttributeValue } from "../core/attributes/attributes.ts";
import { choice, integer, text } from "../http/validation/shapes.ts";

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
    type: choice(attributeTypes, { examples: ["string"] }),
    count: integer({ minimum: 1, description: "Number of rows that have the attribute", examples: [40] }),
    values: Type.Array(FrequentValueShape, {
      maxItems: 10,
      description:
        "The most frequent values of a sample: all values, if the attributes have at most 5,000 together",
    }),
  },
  { $id: "Attribute", description: "A name of the caller's own members of accounts or contacts" },
);
export const AttributeListReply = Type.Object(
  { data: Type.Array(AttributeShape) },
  { $id: "AttributesReply" },
);

export const AttributeListQuery = Type.Object(
  {
    resource: Type.Optional(
      choice(["accounts", "contacts"], {
        default: "accounts",
        description: "The rows that have the attributes",
      }),
    ),
  },
  { additionalProperties: true },
);
