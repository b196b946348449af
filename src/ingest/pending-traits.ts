import { desc, eq } from "drizzle-orm";
import { allOf, excludedColumns, inputs, isInJson, pick, textInput } from "../../db/expressions.ts";
import { pendingTraits, type pendingTypes } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { foldAddress } from "../core/folding.ts";
import { readBatchSize } from "../core/pauses.ts";
import { isNewer, newerMembers, type TimedMembers, UNSET } from "../core/resource/member-times.ts";
import { parseStoredJson } from "../core/stored-json.ts";
import { insert, remove, select } from "../core/tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";

/** An organization has at most this many groups and users with pending traits: the ones received last. */
const maxPending = 10_000;
/** The stored text of the members of a group or user has at most this many characters. */
const maxMembersLength = 65_536;

export const pendingFields = pick(pendingTraits, "type", "id", "groupId", "groupTime", "members");
export const isOneOfPending = allOf(
  eq(pendingTraits.type, textInput("type")),
  isInJson(pendingTraits.id, textInput("ids")),
);
const byIds = select("pendingTraits.byIds", {
  fields: pendingFields,
  from: pendingTraits,
  where: isOneOfPending,
});
const { organizationId, type, id } = pendingTraits;
const columns = ["groupId", "groupTime", "foldedEmail", "members", "receivedAt"] as const;
const upsert = insert("pendingTraits.upsert", {
  into: pendingTraits,
  values: inputs(pendingTraits, "type", "id", ...columns),
  onConflict: {
    target: [organizationId, type, id],
    set: excludedColumns(pendingTraits, ...columns),
  },
});
const deletePending = remove("pendingTraits.delete", { from: pendingTraits, where: isOneOfPending });
const newestFirst = select("pendingTraits.newestFirst", {
  fields: { type, id },
  from: pendingTraits,
  orderBy: [desc(pendingTraits.receivedAt), desc(type), desc(id)],
  paged: true,
});

type PendingType = (typeof pendingTypes)[number];
type PendingKey = { type: PendingType; id: string };
/**
 * What is known of a group without an account, or of a user without a contact: its traits, and the group of the newest
 * call that named one, with the time of that call.
 */
export type PendingTraits = PendingKey & {
  group: { id: string; time: number } | undefined;
  members: TimedMembers;
};

export async function findPendingTraits(
  snapshot: TenantSnapshot,
  type: PendingType,
  ids: readonly string[],
): Promise<Map<string, PendingTraits>> {
  if (ids.length === 0) return new Map();
  const rows = await snapshot.all(byIds, { type, ids: JSON.stringify([...new Set(ids)]) });
  return new Map(rows.map((row) => [row.id, presentPending(row)]));
}

export function presentPending({ groupId, groupTime, ...row }: Row<typeof pendingFields>): PendingTraits {
  const group = groupId === null || groupTime === null ? undefined : { id: groupId, time: groupTime };
  // Safe: `savePendingTraits` made the text.
  return { type: row.type, id: row.id, group, members: parseStoredJson(row.members) as TimedMembers };
}

/** Adds the traits of a call: of two values of a member, and of two groups, the newer one stays. */
export function mergeTraits(existing: PendingTraits, call: PendingTraits): PendingTraits {
  const [before, after] = [existing.group, call.group];
  const isLater = after && (!before || isNewer([after.id, after.time], [before.id, before.time]));
  const newer = newerMembers(call.members, (name) => existing.members[name] ?? UNSET);
  return {
    ...existing,
    group: isLater ? after : before,
    members: { ...existing.members, ...newer },
  };
}

/** The text to store. Attributes that make it too long are left out together. */
function textOf(members: TimedMembers): string {
  const text = JSON.stringify(members);
  if (text.length <= maxMembersLength) return text;
  const { name, email } = members;
  return JSON.stringify({ ...(name && { name }), ...(email && { email }) });
}

/** Stores pending traits. Deletes the ones received first when there are too many. */
export async function savePendingTraits(
  tx: TenantTransaction,
  pending: readonly PendingTraits[],
): Promise<void> {
  if (pending.length === 0) return;
  const rows = pending.map(({ type, id, group, members }) => ({
    type,
    id,
    groupId: group?.id ?? null,
    groupTime: group?.time ?? null,
    foldedEmail: members.email ? foldAddress(String(members.email[0])) : null,
    members: textOf(members),
    receivedAt: tx.receiptTime,
  }));
  await tx.insertAll(upsert, rows);
  await deletePendingTraits(tx, await tx.all(newestFirst, { limit: readBatchSize, offset: maxPending }));
}

export async function deletePendingTraits(
  tx: TenantTransaction,
  pending: readonly PendingKey[],
): Promise<void> {
  for (const [type, keys] of Map.groupBy(pending, (key) => key.type))
    await tx.run(deletePending, { type, ids: JSON.stringify(keys.map(({ id }) => id)) });
}
