import { asc, eq, or } from "drizzle-orm";
import { contains, integerInput, textInput } from "../../db/expressions.ts";
import { accounts, contacts } from "../../db/schema.ts";
import { deleterOfAccountRows } from "../core/account-rows.ts";
import type { ResourceRows } from "../core/changes.ts";
import { defineList } from "../core/list-query.ts";
import { defineResource } from "../core/resource.ts";
import { externalIdConflict } from "../core/resource-definition.ts";
import { createSubResourceStore } from "../core/sub-resource.ts";
import { jsonArray } from "../core/tenant-statements.ts";

/** An account's first 100 contacts by id, as JSON text. */
export const embeddedContacts = jsonArray({
  fields: { id: contacts.id, name: contacts.name, email: contacts.email },
  from: contacts,
  where: eq(contacts.accountId, accounts.id),
  orderBy: [asc(contacts.id)],
  limit: 100,
});

export type ContactRow = ResourceRows["contact"];
export type ContactInput = { externalId?: string | null; name: string; email?: string | null };

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

const contactResource = defineResource<"contact", ContactInput>({
  type: "contact",
  table: contacts,
  fields,
  folded: { foldedName: "name", foldedEmail: "email" },
  columnsOf: (input, existing) => ({
    name: input.name ?? existing?.name ?? "",
    email: input.email === undefined ? (existing?.email ?? null) : input.email,
    lastSeenAt: existing?.lastSeenAt ?? null,
  }),
  conflicts: [
    externalIdConflict("contact", contacts),
    {
      columns: [contacts.organizationId, contacts.accountId, contacts.foldedEmail],
      code: "contact_email_conflict",
      field: "email",
      detail: "is in use by another contact of the account",
    },
  ],
});

export const contactStore = createSubResourceStore(contactResource, ["name"]);

/** See `deleterOfAccountRows`. */
export const deleteContactsOfAccount = deleterOfAccountRows(contacts);

/** An account's contacts. */
export const contactList = defineList({
  name: "contacts.list",
  from: contacts,
  key: contacts.id,
  fields,
  sortBy: { name: contacts.foldedName, createdAt: contacts.createdAt, updatedAt: contacts.updatedAt },
  defaultOrder: ["name", "asc"],
  filters: {
    accountId: eq(contacts.accountId, integerInput("accountId")),
    externalId: eq(contacts.externalId, textInput("externalId")),
    email: eq(contacts.foldedEmail, textInput("email")),
    search: or(
      contains(contacts.foldedName, textInput("search")),
      contains(contacts.foldedEmail, textInput("search")),
    ),
  },
  // An email is unique in its account.
  uniqueFilters: ["externalId", "email"],
  indexed: { accountId: [contacts.id] },
  scope: "accountId",
  caseInsensitive: ["email", "search"],
});
