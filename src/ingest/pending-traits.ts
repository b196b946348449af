import { desc, eq } from "drizzle-orm";
import { allOf, inputs, isInJson, textInput } from "../../db/expressions.ts";
import { pendingTraits, type pendingTypes } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { foldAddress } from "../core/folding.ts";
import { isNewer, newerMembers, type TimedMembers } from "../core/member-times.ts";
import { parseStoredJson } from "../core/stored-json.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant.ts";
import { insert, remove, select } from "../core/tenant-statements.ts";

/** An organization has at most this many groups and users with pending traits: those that were received last. */
export const maxPending = 10_000;
/** Rows beyond the maximum that one request deletes. */
const maxDeletions = 1_000;
/** The stored text of the members of a group or user has at most this many characters. */
const maxMembersLength = 32_768;

export const pendingFields = {
  type: pendingTraits.type,
  id: pendingTraits.id,
  groupId: pendingTraits.groupId,
  groupTime: pendingTraits.groupTime,
  members: pendingTraits.members,
};
export const isOfPending = allOf(
  eq(pendingTraits.type, textInput("type")),
  eq(pendingTraits.id, textInput("id")),
);
const byIds = select("pendingTraits.byIds", {
  fields: pendingFields,
  from: pendingTraits,
  where: allOf(eq(pendingTraits.type, textInput("type")), isInJson(pendingTraits.id, textInput("ids"))),
});
const { organizationId, type, id } = pendingTraits;
const valueColumns = ["groupId", "groupTime", "foldedEmail", "members", "receivedAt"] as const;
const upsert = insert("pendingTraits.upsert", {
  into: pendingTraits,
  values: inputs(pendingTraits, "type", "id", ...valueColumns),
  onConflict: { target: [organizationId, type, id], set: inputs(pendingTraits, ...valueColumns) },
});
const deletePending = remove("pendingTraits.delete", { from: pendingTraits, where: isOfPending });
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

/** The pending traits with these ids, by id. */
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

/**
 * The traits with those of a call: of two values of a member, and of two groups, the newer one. Attributes that would
 * make them too large are ignored together.
 */
export function mergeTraits(known: PendingTraits | undefined, called: PendingTraits): PendingTraits {
  if (!known) return mergeTraits({ ...called, members: {} }, called);
  const isCalled =
    called.group &&
    (!known.group || isNewer([called.group.id, called.group.time], [known.group.id, known.group.time]));
  const merged = { ...known, group: isCalled ? called.group : known.group };
  const members = mergeMembers(known.members, called.members);
  if (JSON.stringify(members).length <= maxMembersLength) return { ...merged, members };
  const { name, email } = called.members;
  const small = { ...(name && { name }), ...(email && { email }) };
  return { ...merged, members: mergeMembers(known.members, small) };
}

function mergeMembers(stored: TimedMembers, called: TimedMembers): TimedMembers {
  return { ...stored, ...newerMembers(called, (name) => stored[name] ?? [null, Number.NEGATIVE_INFINITY]) };
}

/** Stores pending traits. Deletes those that were received first when there are too many. */
export async function savePendingTraits(
  tx: TenantTransaction,
  pending: readonly PendingTraits[],
): Promise<void> {
  for (const { type, id, group, members } of pending) {
    const email = members.email?.[0];
    await tx.run(upsert, {
      type,
      id,
      groupId: group?.id ?? null,
      groupTime: group?.time ?? null,
      foldedEmail: typeof email === "string" ? foldAddress(email) : null,
      members: JSON.stringify(members),
      receivedAt: tx.retentionTime,
    });
  }
  if (pending.length === 0) return;
  await deletePendingTraits(tx, await tx.all(newestFirst, { limit: maxDeletions, offset: maxPending }));
}

export async function deletePendingTraits(
  tx: TenantTransaction,
  pending: readonly PendingKey[],
): Promise<void> {
  for (const { type, id } of pending) await tx.run(deletePending, { type, id });
}
