import { type Static, Type } from "@sinclair/typebox";
import { parseAttributes } from "../core/attributes/attributes.ts";
import { formatNullable, formatTimestamp } from "../core/timestamps.ts";
import { attributesShape } from "../http/validation/attribute-shapes.ts";
import {
  externalId,
  integer,
  nullableText,
  nullableTimestamp,
  text,
  timestamp,
} from "../http/validation/shapes.ts";
import type { ListedContact } from "./store.ts";

/** The constraints of members that requests and replies share. */
export const constraints = {
  name: { minLength: 1, maxLength: 255, pattern: "\\S", examples: ["Ada Lovelace"] },
  email: {
    maxLength: 254,
    format: "email",
    description: "Unique within the account, in any letter case and form of the domain",
    examples: ["ada@example.com"],
  },
} as const;

const contact = Type.Object({
  id: integer({ examples: [7] }),
  accountId: integer({ examples: [42] }),
  externalId: nullableText(externalId),
  name: text({ examples: constraints.name.examples }),
  email: nullableText({ description: constraints.email.description, examples: constraints.email.examples }),
  lastSeenAt: nullableTimestamp("When another platform last saw the contact; set by POST /api/v1/last-seen"),
  attributes: attributesShape,
  createdAt: timestamp("When the contact was created"),
  updatedAt: timestamp("When a member other than `lastSeenAt` last changed; strictly increasing"),
});

/** A contact as its own paths return it. */
export const Contact = Type.Omit(contact, [], { $id: "Contact", description: "A person at an account" });
/** A contact as its account embeds it. */
export const AccountContact = Type.Pick(contact, ["id", "name", "email"], {
  $id: "AccountContact",
  description: "A person at the account",
});

export function presentContact(row: ListedContact): Static<typeof Contact> {
  const { id, accountId, externalId, name, email, lastSeenAt, attributes, createdAt, updatedAt } = row;
  return {
    id,
    accountId,
    externalId,
    name,
    email,
    lastSeenAt: formatNullable(lastSeenAt),
    attributes: parseAttributes(attributes),
    createdAt: formatTimestamp(createdAt),
    updatedAt: formatTimestamp(updatedAt),
  };
}

/** The values of a contact in the JSON of `embeddedContacts`. */
export type EmbeddedContact = [id: number, name: string, email: string | null];

export function presentEmbeddedContact([id, name, email]: EmbeddedContact): Static<typeof AccountContact> {
  return { id, name, email };
}
