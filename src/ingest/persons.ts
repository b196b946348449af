import { Pauses } from "../../db/event-loop.ts";
import { accountResource } from "../accounts/resource.ts";
import { addressInUse, contactStore } from "../contacts/store.ts";
import { Problem } from "../core/errors.ts";
import { newerMembers, type TimedMembers, timedMembersOf, timesOf } from "../core/resource/member-times.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { groupOfCall, outcomeOf, type StoredTraits, type TraitsCall, type TraitsOutcome } from "./calls.ts";
import { attemptMembers, inputOf, isAttributeMember } from "./members.ts";
import {
  deletePendingTraits,
  findPendingTraits,
  mergeTraits,
  type PendingTraits,
  savePendingTraits,
} from "./pending-traits.ts";
import { type PersonRows, type PersonTraits, readRows } from "./person-rows.ts";

/**
 * Stores the traits of `identify` calls as contacts: all calls of a user and its pending traits together. A user whose
 * account does not exist yet stays pending. A `group` call with a user names the account, but an existing contact stays
 * at its account. Returns the outcomes of the `identify` calls.
 */
export async function storePersons(
  tx: TenantTransaction,
  calls: readonly TraitsCall[],
): Promise<Map<TraitsCall, TraitsOutcome>> {
  const ofPersons = calls.filter(({ type, userId }) => type === "identify" || userId !== undefined);
  const pending = await findPendingTraits(
    tx,
    "user",
    ofPersons.flatMap(({ userId }) => userId ?? []),
  );
  const hasAccount = await findGroupsWithAccount(tx, ofPersons, pending);
  const users = [...Map.groupBy(ofPersons, (call) => call.userId ?? call).values()].map((ofUser) =>
    mergeCalls(ofUser, pending, hasAccount),
  );
  const rows = await readRows(
    tx,
    users.map(({ person }) => person),
  );
  const outcomes = new Map<TraitsCall, TraitsOutcome>();
  const [saved, deleted]: [PendingTraits[], PendingTraits[]] = [[], []];
  const pauses = new Pauses(tx);
  for (const { person, merged, identifyCalls } of users) {
    await pauses.next();
    // A `group` call says nothing about an existing contact.
    if (rows.findUser(person.userId) && Object.keys(person.members).length === 0) continue;
    const stored = await storeContact(tx, rows, person);
    if (stored === undefined && merged) saved.push(merged);
    if (stored !== undefined && !(stored instanceof Problem) && merged) deleted.push(merged);
    const missing = merged ? "pending" : "no_account";
    for (const call of identifyCalls) outcomes.set(call, stored ? outcomeOf(call, stored) : missing);
  }
  await deletePendingTraits(
    tx,
    deleted.filter(({ id }) => pending.has(id)),
  );
  await savePendingTraits(tx, saved);
  return outcomes;
}

/** Merges the calls of a user, and its pending traits: `merged`. A call without a user id is a person of its own. */
function mergeCalls(
  calls: readonly TraitsCall[],
  pending: ReadonlyMap<string, PendingTraits>,
  hasAccount: (groupId: string) => boolean,
) {
  const { identify: identifyCalls = [], group: groupCalls = [] } = Object.groupBy(calls, ({ type }) => type);
  const [{ userId } = { userId: undefined }] = calls;
  const existing = userId === undefined ? undefined : pending.get(userId);
  // The group of an identify call has priority.
  const groups = [...newestFirst(identifyCalls), ...newestFirst(groupCalls), existing?.group];
  const group = groups.find((candidate) => candidate && hasAccount(candidate.id));
  const merged = calls
    .map((call): PendingTraits => {
      const members = call.type === "identify" ? call.members : {};
      return { type: "user", id: userId ?? "", group: groupOfCall(call), members };
    })
    .reduce(mergeTraits, existing ?? { type: "user", id: userId ?? "", group: undefined, members: {} });
  const person: PersonTraits = { userId, group, members: merged.members };
  return { person, merged: userId === undefined ? undefined : merged, identifyCalls };
}

function newestFirst(calls: readonly TraitsCall[]): PendingTraits["group"][] {
  return calls.toSorted((a, b) => b.time - a.time).map(groupOfCall);
}

/** Returns whether an account has a group's id, for the groups of the calls and of the pending traits. */
async function findGroupsWithAccount(
  tx: TenantTransaction,
  calls: readonly TraitsCall[],
  pending: ReadonlyMap<string, PendingTraits>,
): Promise<(groupId: string) => boolean> {
  const groups = [...calls.map(groupOfCall), ...[...pending.values()].map(({ group }) => group)];
  const ids = [...new Set(groups.flatMap((group) => group?.id ?? []))];
  const accounts = await accountResource.findAllByExternalId(tx, ids);
  const externalIds = new Set(accounts.map(({ externalId }) => externalId));
  return (groupId) => externalIds.has(groupId);
}

/**
 * Updates the contact of the user, or else the contact of the account with the address; creates it when there is none.
 * A contact without a `userId` gets the user's. An existing contact stays at its account. Undefined without such a
 * contact, when the person has no account, or neither a name nor an address.
 */
export async function storeContact(
  tx: TenantTransaction,
  rows: PersonRows,
  { userId, group, members }: PersonTraits,
): Promise<StoredTraits | undefined> {
  const account = group && rows.accounts.get(group.id);
  const ids = userId === undefined ? {} : { userId };
  const hasContact = rows.findUser(userId) !== undefined;
  const store = async (kept: TimedMembers) => {
    const { email } = inputOf(kept);
    const existing = rows.findUser(userId) ?? rows.findByAddress(account?.id, email);
    if (userId !== undefined && existing?.userId && existing.userId !== userId) throw addressInUse();
    const newer = existing ? newerMembers(kept, timedMembersOf(existing)) : kept;
    const input = inputOf(newer);
    // A name that is the address follows it.
    const isUnnamed = !existing || existing.name === existing.email;
    const name = input.name ?? (isUnnamed ? input.email : undefined);
    if (!existing && (!account || name === undefined)) return undefined;
    const changes = { ...ids, ...input, ...(name !== undefined && { name }) };
    const accountId = existing ? undefined : account?.id;
    const contact = { existing, input: changes, accountId, times: timesOf(newer) };
    const { row } = await contactStore.upsert(tx, contact);
    rows.set(existing, row);
    return { newer };
  };
  // A new contact without the address of another one would be the same person twice.
  const canDrop = (member: string) => isAttributeMember(member) || (hasContact && member === "email");
  return attemptMembers(tx, members, store, canDrop);
}
