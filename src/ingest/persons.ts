import { readStoredRows, type StoredRows } from "../account-batches/stored-rows.ts";
import { contactStore } from "../contacts/store.ts";
import { Problem } from "../core/errors.ts";
import { newerMembers, timedMembersOf, timesOf } from "../core/member-times.ts";
import { Pauses } from "../core/pauses.ts";
import type { TenantTransaction } from "../core/tenant.ts";
import type { TraitsCall, TraitsOutcome } from "./calls.ts";
import { attemptMembers, hasEqual, inputOf } from "./members.ts";
import {
  deletePendingTraits,
  findPendingTraits,
  mergeTraits,
  type PendingTraits,
  savePendingTraits,
} from "./pending-traits.ts";

/** A person of calls, perhaps without a user id. */
type PersonTraits = Pick<PendingTraits, "group" | "members"> & { userId: string | undefined };

/** The account of a person without one: no account has this id, and none this external id. */
const NO_ACCOUNT = { id: 0, externalId: "" };

/**
 * Stores the traits of `identify` calls as contacts, and adds their outcomes. A person whose account is not known stays
 * pending until it is. A `group` call with a user names that account; an existing contact stays at its account.
 */
export async function storePersons(
  tx: TenantTransaction,
  calls: readonly TraitsCall[],
  outcomes: Map<TraitsCall, TraitsOutcome>,
): Promise<void> {
  const { identify = [], group = [] } = Object.groupBy(calls, ({ type }) => type);
  const ordered = [...group.filter(({ userId }) => userId !== undefined), ...identify];
  const userIds = ordered.flatMap(({ userId }) => userId ?? []);
  const stored = await findPendingTraits(tx, "user", userIds);
  const pending = new Map(stored);
  const known = [...stored.values()].map(({ id, ...person }) => ({ ...person, userId: id }));
  const rows = await readRows(tx, [...known, ...ordered.map(personOf)]);
  const pauses = new Pauses(tx);
  for (const call of ordered) {
    await pauses.next();
    const outcome = await storeCall(tx, rows, call, pending);
    if (call.type === "identify") outcomes.set(call, outcome);
  }
  await deletePendingTraits(
    tx,
    [...stored.values()].filter(({ id }) => !pending.has(id)),
  );
  await savePendingTraits(
    tx,
    [...pending.values()].filter((person) => person !== stored.get(person.id)),
  );
}

/** Stores the person of a call as a contact. Changes `rows` and, if the person becomes a contact or stays pending, `pending`. */
async function storeCall(
  tx: TenantTransaction,
  rows: StoredRows,
  call: TraitsCall,
  pending: Map<string, PendingTraits>,
): Promise<TraitsOutcome> {
  const { userId } = call;
  if (userId === undefined) return (await storeContact(tx, rows, personOf(call))) ?? { result: "no_account" };
  const { group: calledGroup, members } = personOf(call);
  const person = mergeTraits(pending.get(userId), { type: "user", id: userId, group: calledGroup, members });
  const hasContact = rows.findContact(NO_ACCOUNT.id, { externalId: userId }) !== undefined;
  if (hasContact && Object.keys(person.members).length === 0) return { result: "ignored" };
  // The group of the call has priority: it may be older than the known one.
  const group = [calledGroup, person.group].find((group) => group && rows.accounts.get(group.id));
  const outcome = await storeContact(tx, rows, { userId, group, members: person.members });
  if (!outcome) pending.set(userId, person);
  else if (outcome.result !== "ignored") pending.delete(userId);
  return outcome ?? { result: "parked" };
}

/**
 * Updates the contact with the user's id as its externalId, or else the contact of the account with the address;
 * creates it when there is none. An existing contact stays at its account. `ignored`: in conflict with stored rows.
 * Undefined without such a contact, when the person has no account, or neither a name nor an address.
 */
export async function storeContact(
  tx: TenantTransaction,
  rows: StoredRows,
  { userId, group, members }: PersonTraits,
): Promise<TraitsOutcome | undefined> {
  const account = group && rows.accounts.get(group.id);
  const stored = await attemptMembers(tx, members, async (kept) => {
    // Those of a failed attempt.
    rows.discardChanges();
    const email = kept.email?.[0];
    const keys = {
      ...(userId !== undefined && { externalId: userId }),
      ...(typeof email === "string" && { email }),
    };
    const existing = rows.findContact((account ?? NO_ACCOUNT).id, keys);
    const memberOf = existing && timedMembersOf(existing);
    const newer = memberOf ? newerMembers(kept, memberOf) : kept;
    const hasId = userId === undefined || existing?.externalId === userId;
    if (memberOf && hasId && Object.keys(newer).length === 0)
      return { result: "superseded", isEqual: hasEqual(kept, memberOf) } as const;
    const { email: newEmail, ...values } = inputOf(newer);
    // A name that is the address follows it.
    const isUnnamed = !existing || existing.name === existing.email;
    const name = values.name ?? (isUnnamed ? newEmail : undefined);
    if (!existing && (!account || name === undefined)) return undefined;
    const input = {
      ...(userId !== undefined && { externalId: userId }),
      ...values,
      ...(newEmail !== undefined && { email: newEmail }),
      ...(name !== undefined && { name }),
    };
    const accountId = existing ? undefined : account?.id;
    const { row } = await contactStore.upsert(tx, existing, input, accountId, timesOf(newer));
    rows.setContact(existing, row);
    return { result: "stored" } as const;
  });
  if (stored instanceof Problem) {
    rows.discardChanges();
    return { result: "ignored" };
  }
  rows.keepChanges();
  return stored;
}

/** Reads the accounts of the persons' groups, and the contacts that a person can be, in any of its groups. */
export function readRows(tx: TenantTransaction, persons: readonly PersonTraits[]): Promise<StoredRows> {
  const byUser = Map.groupBy(persons, (person) => person.userId ?? person);
  return readStoredRows(
    tx,
    [...byUser.values()].flatMap((same) => {
      const contacts = same.map(({ userId, members: { email } }) => ({
        ...(userId !== undefined && { externalId: userId }),
        ...(typeof email?.[0] === "string" && { email: email[0] }),
      }));
      const groupIds = new Set(same.map(({ group }) => group?.id ?? NO_ACCOUNT.externalId));
      return [...groupIds].map((externalId) => ({
        account: { externalId },
        contacts,
        meetings: [],
        requests: [],
      }));
    }),
  );
}

function personOf({ type, userId, groupId, time, members }: TraitsCall): PersonTraits {
  const group = groupId === undefined ? undefined : { id: groupId, time };
  return { userId, group, members: type === "identify" ? members : {} };
}
