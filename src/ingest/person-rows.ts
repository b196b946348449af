import { readStoredRows } from "../account-batches/store.ts";
import { type ContactRow, findContactsByUserId } from "../contacts/store.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { inputOf } from "./members.ts";
import type { PendingTraits } from "./pending-traits.ts";

/** A person of calls, perhaps without a user id. `group` is the group of its account. */
export type PersonTraits = Pick<PendingTraits, "group" | "members"> & { userId: string | undefined };
/** The accounts and contacts that persons refer to, with the changes of the transaction, which a failed attempt undoes. */
export type PersonRows = Awaited<ReturnType<typeof readRows>>;

/** The account of a person without one: no account has this id, and none this external id. */
const NO_ACCOUNT = { id: 0, externalId: "" };

/** Reads the accounts of the persons' groups, and the contacts that a person can be. */
export async function readRows(tx: TenantTransaction, persons: readonly PersonTraits[]) {
  const userIds = [...new Set(persons.flatMap(({ userId }) => userId ?? []))];
  const [rows, found] = await Promise.all([
    readStoredRows(
      tx,
      persons.map(({ userId, group, members }) => {
        const { email } = inputOf(members);
        const contacts = [
          ...(userId === undefined ? [] : [{ externalId: userId }]),
          ...(email ? [{ email }] : []),
        ];
        return { account: { externalId: group?.id ?? NO_ACCOUNT.externalId }, contacts };
      }),
    ),
    findContactsByUserId(tx, userIds),
  ]);
  const users = tx.createMap<ContactRow>(found.map((row) => [row.userId ?? "", row]));
  return {
    accounts: rows.accounts,

    /** The contact with this `userId`, or else the one with an equal `externalId` and without a `userId`. */
    findUser(userId: string | undefined): ContactRow | undefined {
      if (userId === undefined) return undefined;
      const contact = rows.findContact(NO_ACCOUNT.id, { externalId: userId });
      return users.get(userId) ?? (contact?.userId === null ? contact : undefined);
    },

    findByAddress: (accountId: number | undefined, email: string | undefined): ContactRow | undefined =>
      rows.findContact(accountId ?? NO_ACCOUNT.id, email ? { email } : {}),

    /** Stores a contact that was created or updated. */
    set(before: ContactRow | undefined, after: ContactRow): void {
      rows.setContact(before, after);
      if (after.userId !== null) users.set(after.userId, after);
    },
  };
}
