import { type Static, Type } from "@sinclair/typebox";
import { attributeListParameters } from "../http/validation/attribute-parameters.ts";
import { attributesInput } from "../http/validation/attribute-shapes.ts";
import { externalIdFilter, listQuerySchema, searchFilter } from "../http/validation/list-shapes.ts";
import { accountReference, externalId, nullableText, text } from "../http/validation/shapes.ts";
import { constraints } from "./model.ts";
import { contactList } from "./store.ts";

const listQuery = listQuerySchema(contactList, {
  search: Type.Optional(searchFilter("name or e-mail address")),
  externalId: Type.Optional(externalIdFilter("contact")),
  email: Type.Optional(
    text({
      maxLength: 254,
      description: "Only the contacts with this e-mail address, in any letter case and form of the domain",
    }),
  ),
});
export const ContactListQuery = Type.Object(
  { ...listQuery.properties, ...attributeListParameters(contactList) },
  { additionalProperties: true },
);
export type ContactQuery = Static<typeof ContactListQuery>;

const members = {
  name: Type.Optional(
    text({
      ...constraints.name,
      description: "Of a new contact: by default its `email`; required without one",
    }),
  ),
  externalId: Type.Optional(
    nullableText({
      ...externalId,
      description: `${externalId.description}; null or an empty text means none`,
    }),
  ),
  email: Type.Optional(
    nullableText({
      ...constraints.email,
      description: `${constraints.email.description}; null or an empty text means none`,
    }),
  ),
  attributes: Type.Optional(attributesInput),
};
const options = {
  additionalProperties: true,
  examples: [{ name: "Ada Lovelace", email: "ada@example.com" }],
};

export const NewContactBody = Type.Object(members, { ...options, $id: "NewContact" });
export const ContactChangesBody = Type.Partial(Type.Object(members), {
  ...options,
  $id: "ContactChanges",
  description: "At least one member",
});
export const ContactPutBody = Type.Object(
  {
    ...accountReference,
    name: members.name,
    email: members.email,
    attributes: members.attributes,
  },
  {
    ...options,
    $id: "ContactPut",
    examples: [{ accountExternalId: "acme", name: "Ada Lovelace", email: "ada@example.com" }],
  },
);
