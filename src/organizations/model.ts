import { type Static, Type } from "@sinclair/typebox";
import { OwnKey } from "../api-keys/model.ts";
import { dataOf, integer, nullableText, text } from "../http/validation/shapes.ts";

const currency = nullableText({
  pattern: "^[A-Z]{3}$",
  description: "The ISO 4217 code of the currency of every `mrr`; null: none is set",
  examples: ["EUR"],
});
const numberFormat = nullableText({
  minLength: 2,
  maxLength: 35,
  description:
    "The BCP 47 tag of the locale whose number format the console uses, stored in canonical form; null: the format of each person's browser",
  examples: ["de-DE"],
});
const OwnOrganization = Type.Object(
  {
    id: integer({ description: "Assigned by the server", examples: [1] }),
    name: text({ description: "The name that the operator gave it", examples: ["Acme"] }),
    currency,
    numberFormat,
  },
  { $id: "Organization", description: "The organization of the key" },
);
export const OrganizationReply = dataOf(OwnOrganization, "OrganizationReply");
export const OrganizationChangesBody = Type.Object(
  { currency: Type.Optional(currency), numberFormat: Type.Optional(numberFormat) },
  {
    $id: "OrganizationChanges",
    additionalProperties: true,
    examples: [{ currency: "EUR", numberFormat: "de-DE" }],
  },
);
export type OrganizationChanges = Static<typeof OrganizationChangesBody>;
const Me = Type.Object(
  { organization: OwnOrganization, key: OwnKey },
  { $id: "Me", description: "Whose key a request has" },
);
export const MeReply = dataOf(Me, "MeReply");
