import { asc, eq } from "drizzle-orm";
import { accounts, contacts } from "../../db/schema.ts";
import { inputs } from "../../db/statements.ts";
import { insert, jsonRows, type OwnRows } from "../tenant.ts";

/** An account's first 100 contacts by id, as JSON text; what an account embeds. */
export const embeddedContacts = jsonRows({
  fields: { id: contacts.id, name: contacts.name, email: contacts.email },
  from: contacts,
  where: eq(contacts.accountId, accounts.id),
  orderBy: [asc(contacts.id)],
  limit: 100,
});

const insertContact = insert({
  into: contacts,
  values: inputs("accountId", "name", "email", "createdAt"),
  returning: { id: contacts.id },
});

export type NewContact = Omit<typeof contacts.$inferSelect, "id" | "organizationId">;

/** Adds a contact to an account of the organization, within the caller's transaction. */
export async function addContact(rows: OwnRows, contact: NewContact): Promise<void> {
  await rows.first(insertContact, contact);
}
