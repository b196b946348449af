import { type AccountRow, accountResource } from "../accounts/resource.ts";
import { upsertAccount } from "../accounts/store.ts";
import { Problem } from "../core/errors.ts";
import { newerMembers, type TimedMembers, timedMembersOf, timesOf } from "../core/member-times.ts";
import { Pauses } from "../core/pauses.ts";
import type { TenantTransaction } from "../core/tenant.ts";
import type { TraitsCall, TraitsOutcome } from "./calls.ts";
import { attemptMembers, hasEqual, inputOf } from "./members.ts";
import { findPendingTraits, mergeTraits, savePendingTraits } from "./pending-traits.ts";

/**
 * Stores the traits of `group` calls as accounts, and adds the outcomes of those that have traits. A call with a name
 * creates the account; the traits of other calls are pending until there is one.
 */
export async function storeGroups(
  tx: TenantTransaction,
  calls: readonly TraitsCall[],
  outcomes: Map<TraitsCall, TraitsOutcome>,
): Promise<void> {
  const groups = calls.flatMap((call) => {
    const { type, groupId, members } = call;
    const hasTraits = type === "group" && Object.keys(members).length > 0;
    return hasTraits && groupId !== undefined ? { call, groupId, members } : [];
  });
  const ids = [...new Set(groups.map(({ groupId }) => groupId))];
  const rows = await accountResource.findAllByExternalId(tx, ids);
  const accounts = new Map(rows.map((row) => [row.externalId, row]));
  const { named = [], unnamed = [] } = Object.groupBy(groups, ({ members }) =>
    members.name ? "named" : "unnamed",
  );
  const withoutAccount: typeof groups = [];
  const pauses = new Pauses(tx);
  for (const group of [...named, ...unnamed]) {
    await pauses.next();
    const { call, groupId, members } = group;
    const existing = accounts.get(groupId);
    if (!existing && !members.name) withoutAccount.push(group);
    else {
      const stored = await storeAccount(tx, existing, groupId, members);
      if (stored) accounts.set(groupId, stored.row);
      outcomes.set(call, stored?.outcome ?? { result: "ignored" });
    }
  }
  await savePending(tx, withoutAccount);
  for (const { call } of withoutAccount) outcomes.set(call, { result: "parked" });
}

/** Stores traits as those of the account, or of a new one. Undefined when they conflict with stored rows. */
export async function storeAccount(
  tx: TenantTransaction,
  existing: AccountRow | undefined,
  externalId: string,
  members: TimedMembers,
): Promise<{ row: AccountRow; outcome: TraitsOutcome } | undefined> {
  const stored = await attemptMembers(tx, members, async (kept) => {
    const memberOf = existing && timedMembersOf(existing);
    const newer = memberOf ? newerMembers(kept, memberOf) : kept;
    if (existing && memberOf && Object.keys(newer).length === 0) {
      const outcome = { result: "superseded", isEqual: hasEqual(kept, memberOf) } as const;
      return { row: existing, outcome };
    }
    const { row } = await upsertAccount(tx, existing, { externalId, ...inputOf(newer) }, timesOf(newer));
    return { row, outcome: { result: "stored" } as const };
  });
  return stored instanceof Problem ? undefined : stored;
}

async function savePending(
  tx: TenantTransaction,
  groups: readonly { call: TraitsCall; groupId: string; members: TimedMembers }[],
): Promise<void> {
  const pending = await findPendingTraits(
    tx,
    "group",
    groups.map(({ groupId }) => groupId),
  );
  for (const { call, groupId: id, members } of groups) {
    const called = { type: "group", id, group: { id, time: call.time }, members } as const;
    pending.set(id, mergeTraits(pending.get(id), called));
  }
  await savePendingTraits(tx, [...pending.values()]);
}
