import { readStoredRows, type StoredRows } from "../account-batches/stored-rows.ts";
import { upsertAccount } from "../accounts/store.ts";
import { contactStore } from "../contacts/store.ts";
import type { AttributeChanges } from "../core/attributes.ts";
import { Problem } from "../core/errors.ts";
import { Pauses } from "../core/pauses.ts";
import type { TenantTransaction } from "../core/tenant.ts";
import { hasTraits } from "../organizations/settings.ts";

type Traits = { name: string | undefined; attributes: AttributeChanges | undefined };
type GroupCall = Traits & { type: "group"; groupId: string };
type IdentifyCall = Traits & {
  type: "identify";
  groupId: string | undefined;
  userId: string | undefined;
  email: string | undefined;
};
/** The traits of a call of Segment's SDKs, valid. A group is an account, with the group's id as its externalId. */
export type TraitsCall = GroupCall | IdentifyCall;

/** No account has this id, and none this external id. */
const NO_ACCOUNT = { id: 0, externalId: "" };

/**
 * Stores the traits of the calls when the organization has this on: those of `group` as the account, which is created
 * if there is none, those of `identify` as the contact. Returns the number of calls of which a trait was stored or equals
 * the stored one; undefined when the organization has this off. A call that conflicts with stored rows is left out.
 */
export async function storeTraits(
  tx: TenantTransaction,
  calls: readonly TraitsCall[],
): Promise<number | undefined> {
  if (!(await hasTraits(tx))) return undefined;
  const rows = await readStoredRows(tx, calls.map(keysOf));
  const pauses = new Pauses(tx);
  let storedCount = 0;
  for (const call of calls) {
    await pauses.next();
    const isStored = await storeCall(tx, rows, call);
    if (isStored instanceof Problem) rows.discardChanges();
    else rows.keepChanges();
    if (isStored === true) storedCount += 1;
  }
  return storedCount;
}

function keysOf(call: TraitsCall) {
  return {
    account: { externalId: call.groupId ?? NO_ACCOUNT.externalId },
    contacts: call.type === "identify" ? [contactKeysOf(call)] : [],
    meetings: [],
    requests: [],
  };
}

function contactKeysOf({ userId, email }: IdentifyCall) {
  return { ...(userId !== undefined && { externalId: userId }), ...(email !== undefined && { email }) };
}

/** Stores a call without the attributes that conflict with stored ones. False if nothing of it is stored. */
async function storeCall(
  tx: TenantTransaction,
  rows: StoredRows,
  call: TraitsCall,
): Promise<boolean | Problem> {
  const isStored = await tx.attempt(() => {
    // Those of a failed attempt, which may be of this call.
    rows.discardChanges();
    return call.type === "group" ? storeGroup(tx, rows, call) : storeUser(tx, rows, call);
  });
  const { attributes } = call;
  if (!(isStored instanceof Problem) || !attributes) return isStored;
  const rejected = isStored.errors.map((error) => ("pointer" in error ? error.pointer : ""));
  const kept = Object.entries(attributes).filter(([name]) => !rejected.includes(`/attributes/${name}`));
  const isUnchanged = kept.length === Object.keys(attributes).length;
  // Either there are too many attributes, or another member conflicts.
  if (isUnchanged && !rejected.includes("/attributes")) return isStored;
  const isWithout = isUnchanged || kept.length === 0;
  const rest = { ...call, attributes: isWithout ? undefined : Object.fromEntries(kept) };
  return hasMembers(rest) && storeCall(tx, rows, rest);
}

function hasMembers(call: TraitsCall): boolean {
  const email = call.type === "identify" ? call.email : undefined;
  return (call.name ?? email ?? call.attributes) !== undefined;
}

async function storeGroup(
  tx: TenantTransaction,
  rows: StoredRows,
  { groupId: externalId, ...traits }: GroupCall,
): Promise<boolean> {
  const existing = rows.accounts.get(externalId);
  if (!existing && traits.name === undefined) return false;
  const { row } = await upsertAccount(tx, existing, { externalId, ...membersOf(traits) });
  rows.accounts.set(externalId, row);
  return true;
}

/**
 * Updates the contact with the user's id as its externalId, or else the contact of the account with the address;
 * creates it when there is none and there is an account. An existing contact stays at its account.
 */
async function storeUser(tx: TenantTransaction, rows: StoredRows, call: IdentifyCall): Promise<boolean> {
  const account = call.groupId === undefined ? undefined : rows.accounts.get(call.groupId);
  const keys = contactKeysOf(call);
  const existing = rows.findContact((account ?? NO_ACCOUNT).id, keys);
  const name = call.name ?? (existing ? undefined : call.email);
  if (!existing && (!account || name === undefined)) return false;
  const input = { ...keys, ...membersOf({ ...call, name }) };
  const { row } = await contactStore.upsert(tx, existing, input, existing ? undefined : account?.id);
  rows.setContact(existing, row);
  return true;
}

function membersOf({ name, attributes }: Traits) {
  return { ...(name !== undefined && { name }), ...(attributes && { attributes }) };
}
