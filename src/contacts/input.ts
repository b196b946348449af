import { Type } from "@sinclair/typebox";
import { subResourceBodies } from "../http/resource/field-shapes.ts";
import { attributeListParameters } from "../http/validation/attribute-parameters.ts";
import { externalIdFilter, listQuerySchema, searchFilter } from "../http/validation/list-shapes.ts";
import { text } from "../http/validation/shapes.ts";
import { contactFields } from "../shared/fields/contacts.ts";
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

export const contactBodies = subResourceBodies(contactFields, {
  title: "Contact",
  example: { name: "Ada Lovelace", email: "ada@example.com" },
});
