import { asc, eq } from "drizzle-orm";
import { hasFoldedAddress, withoutContactId } from "../../db/addresses.ts";
import { allOf, isInJson, pair, pairsOf, textInput } from "../../db/expressions.ts";
import { accounts, contacts } from "../../db/schema.ts";
import type { ResourceRows } from "../core/changes/changes.ts";
import { invalidParameter, type Problem } from "../core/errors.ts";
import { fold, foldAddress, foldAddressPart } from "../core/folding.ts";
import { externalIdFilters, ordersAndFilters } from "../core/lists/fields.ts";
import { defineList } from "../core/lists/list.ts";
import { type Conflict, externalIdConflict } from "../core/resource/definition.ts";
import { columnsOf, mergeInput } from "../core/resource/field-columns.ts";
import { notFound } from "../core/resource/resource.ts";
import { conflictProblem } from "../core/resource/rows.ts";
import { defineSubResource } from "../core/resource/sub-resource.ts";
import { jsonArray, select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { contactFields, embeddedContactFields } from "../shared/fields/contacts.ts";
import type { InputOf } from "../shared/fields/field.ts";

/** An account's first 100 contacts by id, as JSON text. */
export const embeddedContacts = jsonArray({
  fields: columnsOf(contactFields, contacts, embeddedContactFields),
  from: contacts,
  where: eq(contacts.accountId, accounts.id),
  orderBy: [asc(contacts.id)],
  limit: 100,
});

export type ContactRow = ResourceRows["contact"];
type ContactInput = InputOf<typeof contactFields>;

const listedFields = { ...columnsOf(contactFields, contacts), version: contacts.version };
const fields = { ...listedFields, memberTimes: contacts.memberTimes };

const emailConflict: Conflict = {
  columns: [contacts.organizationId, contacts.accountId, contacts.foldedEmail],
  code: "contact_email_conflict",
  field: "email",
  detail: "is in use by another contact of the account",
};

/** The problem of an address that another contact of the account has. */
export function addressInUse(): Problem {
  return conflictProblem(emailConflict);
}

export const contactStore = defineSubResource<"contact", ContactInput>({
  type: "contact",
  table: contacts,
  fields,
  folded: { foldedName: { of: "name" }, foldedEmail: { of: "email", by: foldAddress } },
  columnsOf: (input, existing) => mergeInput(contactFields, input, existing),
  required: ["name"],
  withDefaults: (input) => ({ ...(input.email && { name: input.email }), ...input }),
  conflicts: [
    externalIdConflict("contact", contacts),
    {
      columns: [contacts.organizationId, contacts.userId],
      code: "user_id_conflict",
      field: "userId",
      detail: "is in use by another contact",
    },
    emailConflict,
  ],
});

const byEmails = select("contacts.byEmails", {
  fields,
  from: contacts,
  outerQuery: () => pairsOf(textInput("keys")),
  where: allOf(eq(contacts.accountId, pair.number), eq(contacts.foldedEmail, pair.text)),
});

/** The contacts of accounts with an address that is equal to one of these. */
export async function findContactsByEmail(
  snapshot: TenantSnapshot,
  keys: readonly { accountId: number; email: string }[],
): Promise<ContactRow[]> {
  if (keys.length === 0) return [];
  const pairs = keys.map(({ accountId, email }) => [accountId, foldAddress(email)]);
  return snapshot.all(byEmails, { keys: JSON.stringify(pairs) });
}

const byUserIds = select("contacts.byUserIds", {
  fields,
  from: contacts,
  where: isInJson(contacts.userId, textInput("userIds")),
});

/** The contacts with these ids of persons in the product. */
export async function findContactsByUserId(
  snapshot: TenantSnapshot,
  userIds: readonly string[],
): Promise<ContactRow[]> {
  return userIds.length === 0 ? [] : snapshot.all(byUserIds, { userIds: JSON.stringify(userIds) });
}

/** Throws `not_found`. */
export async function getContactByUserId(snapshot: TenantSnapshot, userId: string): Promise<ContactRow> {
  const [contact] = await findContactsByUserId(snapshot, [userId]);
  return contact ?? notFound("contact", userId, "userId");
}

const { sortBy, filters } = ordersAndFilters(contactFields, contacts);

/** No address has a blank. One in a filter is mostly a `+` that was not encoded. */
function foldFiltered(address: string, parameter: string): string {
  if (/\s/.test(address))
    throw invalidParameter(parameter, "invalid_email", "must have no blank; write + as %2B in a URL");
  return foldAddress(address);
}

/** The contacts of the organization, or of one account. */
export const contactList = defineList({
  name: "contacts.list",
  from: contacts,
  key: contacts.id,
  fields: listedFields,
  sortBy,
  defaultOrder: ["name", "asc"],
  filters: {
    accountId: { kind: "account", column: contacts.accountId },
    search: {
      kind: "search",
      columns: [
        [contacts.foldedName, fold],
        [contacts.foldedEmail, (text) => foldAddressPart(text).local],
        [contacts.foldedEmail, (text) => foldAddressPart(text).domain],
      ],
    },
    email: {
      ...{ kind: "text", column: withoutContactId(contacts.foldedEmail), isNullable: true },
      ...{ equal: hasFoldedAddress("email"), use: "narrow", fold: foldFiltered },
    },
    ...filters,
    userId: { kind: "text", column: contacts.userId, use: "unique" },
    ...externalIdFilters(contacts.externalId),
  },
  attributes: "contact",
});
