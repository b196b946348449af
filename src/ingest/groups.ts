import { Pauses } from "../../db/event-loop.ts";
import { type AccountRow, accountResource } from "../accounts/resource.ts";
import { Problem } from "../core/errors.ts";
import { newerMembers, type TimedMembers, timedMembersOf, timesOf } from "../core/resource/member-times.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { groupOfCall, outcomeOf, type StoredTraits, type TraitsCall, type TraitsOutcome } from "./calls.ts";
import { attemptMembers, inputOf } from "./members.ts";
import {
  deletePendingTraits,
  findPendingTraits,
  mergeTraits,
  type PendingTraits,
  savePendingTraits,
} from "./pending-traits.ts";

/**
 * Stores the traits of `group` calls as accounts: all calls of a group and its pending traits together. A name creates the
 * account; without one, the traits are pending until there is an account. Returns the outcomes.
 */
export async function storeGroups(
  tx: TenantTransaction,
  calls: readonly TraitsCall[],
): Promise<Map<TraitsCall, TraitsOutcome>> {
  const withTraits = calls.filter(({ type, members }) => type === "group" && Object.keys(members).length > 0);
  const groups = Map.groupBy(withTraits, ({ groupId = "" }) => groupId);
  const accounts = await accountResource.findAllByExternalId(tx, [...groups.keys()]);
  const accountsById = new Map(accounts.map((row) => [row.externalId, row]));
  const pending = await findPendingTraits(tx, "group", [...groups.keys()]);
  const outcomes = new Map<TraitsCall, TraitsOutcome>();
  const saved: PendingTraits[] = [];
  const pauses = new Pauses(tx);
  for (const [id, ofGroup] of groups) {
    await pauses.next();
    const merged = ofGroup
      .map((call) => ({ type: "group", id, group: groupOfCall(call), members: call.members }) as const)
      .reduce(mergeTraits, pending.get(id) ?? { type: "group", id, group: undefined, members: {} });
    const account = accountsById.get(id);
    const isPending = !account && !merged.members.name;
    if (isPending) saved.push(merged);
    const stored = isPending ? undefined : await storeAccount(tx, account, id, merged.members);
    // The traits of earlier requests stay pending.
    if (stored instanceof Problem) pending.delete(id);
    for (const call of ofGroup) outcomes.set(call, stored ? outcomeOf(call, stored) : "pending");
  }
  const savedIds = new Set(saved.map(({ id }) => id));
  await deletePendingTraits(
    tx,
    [...pending.values()].filter(({ id }) => !savedIds.has(id)),
  );
  await savePendingTraits(tx, saved);
  return outcomes;
}

/** Stores the traits that are newer than the stored members of the account; creates the account without one. */
export async function storeAccount(
  tx: TenantTransaction,
  existing: AccountRow | undefined,
  externalId: string,
  members: TimedMembers,
): Promise<StoredTraits> {
  return attemptMembers(tx, members, async (kept) => {
    const newer = existing ? newerMembers(kept, timedMembersOf(existing)) : kept;
    if (Object.keys(newer).length > 0)
      await accountResource.upsert(tx, {
        existing,
        input: { externalId, ...inputOf(newer) },
        times: timesOf(newer),
      });
    return { newer };
  });
}
