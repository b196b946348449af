import { eq } from "drizzle-orm";
import { integerInput, textInput } from "../../db/expressions.ts";
import { accounts } from "../../db/schema.ts";
import { notFound, type RowKey, type Upserted } from "../core/resource/resource.ts";
import { select } from "../core/tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";
import { ofSubResources, subResources } from "../resources.ts";
import type { SubResourceName } from "../shared/resources.ts";
import {
  type AccountInput,
  type AccountRow,
  accountResource,
  checkAccountInput,
  listedFields,
} from "./resource.ts";

type NewAccount = Pick<AccountInput, "mrr" | "status" | "attributes"> & {
  name: string;
  externalId?: string;
  contactName?: string;
  contactEmail?: string;
};

const embeddedLists = ofSubResources((_, { embedded }) => embedded);
const withLists = {
  fields: { ...listedFields, version: accounts.version, ...embeddedLists },
  from: accounts,
};
const byId = select("accounts.withLists", { ...withLists, where: eq(accounts.id, integerInput("key")) });
const byExternalId = select("accounts.withListsByExternalId", {
  ...withLists,
  where: eq(accounts.externalId, textInput("key")),
});
/** An account and its lists, each as JSON text. */
export type AccountWithLists = Omit<AccountRow, "contactActivityAt" | "attributes" | "memberTimes"> &
  Record<SubResourceName, string>;

/** The account with the lists of its sub-resources. Throws `not_found`. */
export async function getAccount(snapshot: TenantSnapshot, key: RowKey): Promise<AccountWithLists> {
  const statement = typeof key === "number" ? byId : byExternalId;
  return (await snapshot.first(statement, { key, now: snapshot.now })) ?? notFound("account", key);
}

/**
 * Creates an account and, with `contactName` or `contactEmail`, its first contact. Throws `external_id_conflict`.
 */
export async function createAccount(tx: TenantTransaction, input: NewAccount): Promise<AccountRow> {
  const { contactName, contactEmail, ...members } = input;
  const row = await accountResource.insert(tx, { input: members });
  const name = contactName ?? contactEmail;
  const contact = name && { input: { name, email: contactEmail ?? null }, accountId: row.id };
  if (contact) await subResources.contacts.store.insert(tx, contact);
  return row;
}

/**
 * Updates the members that are present. When none differs from the stored account, nothing changes, `updatedAt`
 * included; otherwise `updatedAt` increases by at least a millisecond.
 * Throws `no_valid_fields`, `invalid_request`, `not_found`, `external_id_conflict`.
 */
export async function updateAccount(
  tx: TenantTransaction,
  key: RowKey,
  input: AccountInput,
): Promise<AccountRow> {
  checkAccountInput(input, tx.now);
  return accountResource.update(tx, await accountResource.get(tx, key), { input });
}

/**
 * Creates or updates the account with this external id. Absent members of an existing account stay unchanged; those
 * of a new account get their defaults. Throws `invalid_request` for a new account without a name.
 */
export async function putAccount(
  tx: TenantTransaction,
  externalId: string,
  input: Omit<AccountInput, "externalId">,
): Promise<Upserted<AccountRow>> {
  const existing = await accountResource.find(tx, externalId);
  return accountResource.upsert(tx, { existing, input: { ...input, externalId } });
}

/** Deletes the account. Reactions to this change delete what belongs to it. Throws `not_found`. */
export async function deleteAccount(tx: TenantTransaction, key: RowKey): Promise<void> {
  await accountResource.remove(tx, await accountResource.get(tx, key));
}
