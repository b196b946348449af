import { eq, type SQL } from "drizzle-orm";
import { hasFoldedAddress } from "../../db/addresses.ts";
import { integerInput, isInJson, pick, textInput } from "../../db/expressions.ts";
import { contacts } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { select } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import type { Link, LinkSource } from "./person.ts";
import { visitParts } from "./steps.ts";

const fields = pick(contacts, "id", "email", "externalId", "userId");
const contactsWhere = (name: string, where: SQL) =>
  select(`erasures.${name}`, { fields, from: contacts, where });
const withEmail = contactsWhere("contacts", hasFoldedAddress("email"));
const withExternalIds = contactsWhere(
  "contactsByExternalIds",
  isInJson(contacts.externalId, textInput("ids")),
);
const withId = contactsWhere("contact", eq(contacts.id, integerInput("id")));
const withUserIds = contactsWhere("contactsByUserIds", isInJson(contacts.userId, textInput("ids")));

/** Finds the contacts with an address or a user id. */
export function contactsOf(tenant: Tenant): LinkSource {
  return async ({ addresses, userIds }, { isExternalIdUserId }) => {
    const links: Link[] = [];
    const addLinks = (rows: Row<typeof fields>[]) => {
      for (const { id, email, externalId, userId } of rows) {
        const ids = isExternalIdUserId ? [userId, externalId] : [userId];
        links.push({ row: id, email, userIds: ids, isStored: true });
      }
    };
    await visitParts(addresses, (part) =>
      tenant.read(async (snapshot) => {
        for (const email of part) addLinks(await snapshot.all(withEmail, { email }));
      }),
    );
    await visitParts(userIds, (part) =>
      tenant.read(async (snapshot) => {
        const ids = JSON.stringify(part);
        addLinks(await snapshot.all(withUserIds, { ids }));
        if (isExternalIdUserId) addLinks(await snapshot.all(withExternalIds, { ids }));
      }),
    );
    return links;
  };
}

/** The contacts that exist of these ids. */
export async function readContacts(
  snapshot: TenantSnapshot,
  ids: Iterable<number>,
): Promise<Map<number, Pick<Row<typeof fields>, "email" | "externalId">>> {
  // With a list of ids, SQLite would read all contacts of the organization.
  const rows = await Promise.all(Array.from(ids, (id) => snapshot.first(withId, { id })));
  return new Map(rows.flatMap((row) => (row ? [[row.id, row]] : [])));
}
