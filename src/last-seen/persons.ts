import {
  type ContactRow,
  contactStore,
  findContactsByEmail,
  findContactsByUserId,
} from "../contacts/store.ts";
import type { ItemError } from "../core/item-codes.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";

/** A person with a user id, perhaps with an address and the account of the item. */
type SeenPerson = { userId: string; contactEmail: string | undefined; accountId: number | undefined };

/** The error of an item whose contacts by address have another `userId`. */
export const otherUser: ItemError = {
  code: "contact_email_conflict",
  detail: "the contact with this address has another userId",
};

/**
 * Returns a function that finds the contact of a person: by `userId`, else by an equal `externalId`, else by the address in
 * the account. A contact without a `userId` gets the person's.
 */
export async function personFinder(tx: TenantTransaction, userIds: readonly string[]) {
  const ids = [...new Set(userIds)];
  const [byUserId, byExternalId] = await Promise.all([
    findContactsByUserId(tx, ids),
    contactStore.findAllByExternalId(tx, ids),
  ]);
  const users = tx.createMap<ContactRow>(byUserId.map((row) => [row.userId ?? "", row]));
  const externals = tx.createMap<ContactRow>(byExternalId.map((row) => [row.externalId ?? "", row]));

  return async ({
    userId,
    contactEmail,
    accountId,
  }: SeenPerson): Promise<ContactRow | ItemError | undefined> => {
    const user = users.get(userId);
    if (user) return user;
    const external = externals.get(userId);
    const [addressed] =
      accountId === undefined || contactEmail === undefined
        ? []
        : await findContactsByEmail(tx, [{ accountId, email: contactEmail }]);
    const contact = external?.userId === null ? external : addressed;
    if (!contact) return undefined;
    if (contact.userId !== null) return otherUser;
    const { row } = await contactStore.upsert(tx, { existing: contact, input: { userId } });
    users.set(userId, row);
    // A later item with its external id as user id is another person.
    if (row.externalId !== null) externals.set(row.externalId, row);
    return row;
  };
}
