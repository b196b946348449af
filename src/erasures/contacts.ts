import { eq } from "drizzle-orm";
import { textInput } from "../../db/expressions.ts";
import { contacts } from "../../db/schema.ts";
import { contactStore } from "../contacts/store.ts";
import { fold } from "../core/folding.ts";
import type { Tenant, TenantSnapshot } from "../core/tenant.ts";
import { select } from "../core/tenant-statements.ts";
import { hasTraits } from "../organizations/settings.ts";
import type { PersonKeys } from "./person.ts";
import { writeRows } from "./steps.ts";

const withEmail = select("erasures.contacts", {
  fields: { id: contacts.id, externalId: contacts.externalId },
  from: contacts,
  where: eq(contacts.foldedEmail, textInput("email")),
});

/** The contacts of a person: their ids, and the user ids that they have as external ids. */
export type FoundContacts = { ids: number[]; userIds: string[]; isExternalIdUserId: boolean };

/**
 * Finds the contacts with the address, and, where traits are on, the contact whose external id is the user id: there,
 * external ids of contacts are user ids (`isExternalIdUserId`).
 */
export async function findContacts(tenant: Tenant, { email, userId }: PersonKeys): Promise<FoundContacts> {
  return tenant.read(async (snapshot: TenantSnapshot) => {
    const isExternalIdUserId = await hasTraits(snapshot);
    const found = email === undefined ? [] : await snapshot.all(withEmail, { email: fold(email) });
    const linked =
      isExternalIdUserId && userId !== undefined
        ? await contactStore.findByExternalId(snapshot, userId)
        : undefined;
    const ids = new Set([...found, ...(linked ? [linked] : [])].map(({ id }) => id));
    const userIds = isExternalIdUserId ? found.flatMap(({ externalId }) => externalId ?? []) : [];
    return { ids: [...ids], userIds, isExternalIdUserId };
  });
}

/** Deletes the contacts, which records changes. One that another request has deleted is left out. */
export async function deleteContacts(tenant: Tenant, ids: readonly number[]): Promise<void> {
  await writeRows(tenant, ids, async (tx, id) => {
    if (await contactStore.find(tx, id)) await contactStore.removeById(tx, id);
  });
}

/** Those of the ids that no contact has. */
export async function withoutContact(tenant: Tenant, ids: readonly number[]): Promise<number[]> {
  const absent: number[] = [];
  for (const id of ids) {
    const contact = await tenant.readOne((snapshot) => contactStore.find(snapshot, id));
    if (!contact) absent.push(id);
  }
  return absent;
}
