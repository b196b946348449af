import { asc, eq, or } from "drizzle-orm";
import { accounts, contacts } from "../../db/schema.ts";
import { contains, integerInput, type Row, textInput } from "../../db/statements.ts";
import { fold } from "../core/folding.ts";
import { defineList } from "../core/list-query.ts";
import { defineResource } from "../core/resource.ts";
import { jsonArray } from "../core/tenant.ts";

/** An account's first 100 contacts by id, as JSON text; what an account embeds. */
export const embeddedContacts = jsonArray({
  fields: { id: contacts.id, name: contacts.name, email: contacts.email },
  from: contacts,
  where: eq(contacts.accountId, accounts.id),
  orderBy: [asc(contacts.id)],
  limit: 100,
});

const fields = {
  id: contacts.id,
  accountId: contacts.accountId,
  externalId: contacts.externalId,
  name: contacts.name,
  email: contacts.email,
  lastSeenAt: contacts.lastSeenAt,
  createdAt: contacts.createdAt,
  updatedAt: contacts.updatedAt,
};
export type ContactRow = Row<typeof fields>;
export type ContactInput = { externalId?: string | null; name: string; email?: string | null };

/** Contacts. Beside what every child's store throws, `contact_email_conflict` within an account. */
export const contactStore = defineResource<typeof fields, ContactInput>({
  noun: "contact",
  table: contacts,
  fields,
  columns: ["name", "foldedName", "email", "foldedEmail"],
  required: ["name"],
  columnsOf(given, before) {
    const name = given.name ?? before?.name ?? "";
    const email = given.email === undefined ? (before?.email ?? null) : given.email;
    return { name, foldedName: fold(name), email, foldedEmail: email === null ? null : fold(email) };
  },
});

/** A page of an account's contacts. */
export const listContacts = defineList({
  from: contacts,
  key: contacts.id,
  fields,
  sortBy: { name: contacts.foldedName, createdAt: contacts.createdAt, updatedAt: contacts.updatedAt },
  order: ["name", "asc"],
  filters: {
    accountId: eq(contacts.accountId, integerInput("accountId")),
    externalId: eq(contacts.externalId, textInput("externalId")),
    email: eq(contacts.foldedEmail, textInput("email")),
    search: or(
      contains(contacts.foldedName, textInput("search")),
      contains(contacts.foldedEmail, textInput("search")),
    ),
  },
  folded: ["email", "search"],
});
