import { eq } from "drizzle-orm";
import { integerInput, textInput } from "../../db/expressions.ts";
import { accounts } from "../../db/schema.ts";
import { invalidField } from "../core/errors.ts";
import type { MemberTimes } from "../core/resource/member-times.ts";
import { notFound, type RowKey } from "../core/resource/resource.ts";
import type { Upserted } from "../core/resource/sub-resource.ts";
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

export type NewAccount = Pick<AccountInput, "mrr" | "status" | "attributes"> & {
  name: string;
  externalId?: string;
  contactName?: string;
  contactEmail?: string;
};

/** The lists of an account, each as JSON text. */
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

/** The account with its contacts, recent meetings and requests. Throws `not_found`. */
export async function getAccount(snapshot: TenantSnapshot, key: RowKey): Promise<AccountWithLists> {
  const statement = typeof key === "number" ? byId : byExternalId;
  return (await snapshot.first(statement, { key, now: snapshot.now })) ?? notFound("account", key);
}

/**
 * Creates an account and, with `contactName` or `contactEmail`, its first contact. Throws `external_id_conflict`.
 */
export async function createAccount(tx: TenantTransaction, input: NewAccount): Promise<AccountRow> {
  const { contactName, contactEmail, ...members } = input;
  const account = await accountResource.insert(tx, members);
  const name = contactName ?? contactEmail;
  if (name) await subResources.contacts.store.insert(tx, { name, email: contactEmail ?? null }, account.id);
  return account;
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
  return accountResource.applyChanges(tx, await accountResource.get(tx, key), input);
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
  return upsertAccount(tx, await accountResource.find(tx, externalId), { ...input, externalId });
}

/** The same for the account that was found. `times` as in `applyChanges`. */
export async function upsertAccount(
  tx: TenantTransaction,
  existing: AccountRow | undefined,
  input: AccountInput,
  times?: MemberTimes,
): Promise<Upserted<AccountRow>> {
  if (existing)
    return { row: await accountResource.applyChanges(tx, existing, input, undefined, times), isNew: false };
  if (input.name === undefined) throw invalidField("/name", "required", "is required");
  return { row: await accountResource.insert(tx, input, undefined, times), isNew: true };
}

/** Deletes the account. Reactions to this change delete what belongs to it. Throws `not_found`. */
export async function deleteAccount(tx: TenantTransaction, key: RowKey): Promise<void> {
  await accountResource.remove(tx, await accountResource.get(tx, key));
}
