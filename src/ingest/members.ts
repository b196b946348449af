import { type AttributeChanges, attributePrefix } from "../core/attributes/attributes.ts";
import { Problem } from "../core/errors.ts";
import type { TimedMembers } from "../core/resource/member-times.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";

export function inputOf(members: TimedMembers): {
  name?: string;
  email?: string;
  attributes?: AttributeChanges;
} {
  const { name, email } = members;
  const attributes = Object.entries(members).flatMap(([member, [value]]) =>
    isAttributeMember(member) ? [[member.slice(attributePrefix.length), value] as const] : [],
  );
  return {
    ...(name && { name: String(name[0]) }),
    ...(email && { email: String(email[0]) }),
    ...(attributes.length > 0 && { attributes: Object.fromEntries(attributes) }),
  };
}

/**
 * Calls `store` with the members; if some that `canDrop` accepts conflict with stored rows, again without them, and if
 * there are too many attributes, without all. The result has the problem of members that were dropped. Returns the
 * problem when another member conflicts, or none is left.
 */
export async function attemptMembers<T extends { newer: TimedMembers; problem?: Problem } | undefined>(
  tx: TenantTransaction,
  members: TimedMembers,
  store: (members: TimedMembers) => Promise<T>,
  canDrop = isAttributeMember,
): Promise<T | Problem> {
  const stored = await tx.attempt(() => store(members));
  if (!(stored instanceof Problem)) return stored;
  const rejected = stored.errors.map((error) => ("pointer" in error ? error.pointer : ""));
  const isRejected = (member: string) =>
    rejected.includes(`/${member.replace(attributePrefix, "attributes/")}`) ||
    (isAttributeMember(member) && rejected.includes("/attributes"));
  const kept = Object.entries(members).filter(([member]) => !(canDrop(member) && isRejected(member)));
  if (kept.length === 0 || kept.length === Object.keys(members).length) return stored;
  const result = await attemptMembers(tx, Object.fromEntries(kept), store, canDrop);
  return result === undefined || result instanceof Problem ? result : { ...result, problem: stored };
}

export function isAttributeMember(member: string): boolean {
  return member.startsWith(attributePrefix);
}
