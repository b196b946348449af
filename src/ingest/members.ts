import { type AttributeChanges, attributePrefix } from "../core/attributes.ts";
import { Problem } from "../core/errors.ts";
import type { TimedMembers, TimedValue } from "../core/member-times.ts";
import type { TenantTransaction } from "../core/tenant.ts";

/** The members as the input of an account or a contact. */
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

/** Whether a member has the value that is stored. */
export function hasEqual(members: TimedMembers, stored: (name: string) => TimedValue): boolean {
  return Object.entries(members).some(([name, [value]]) => value === stored(name)[0]);
}

/**
 * Calls `store` with the members; if stored attributes conflict with some, again without them, and if there are too many,
 * without all. Returns the problem when another member conflicts, or none is left.
 */
export async function attemptMembers<T>(
  tx: TenantTransaction,
  members: TimedMembers,
  store: (members: TimedMembers) => Promise<T>,
): Promise<T | Problem> {
  const stored = await tx.attempt(() => store(members));
  if (!(stored instanceof Problem)) return stored;
  const rejected = stored.errors.map((error) => ("pointer" in error ? error.pointer : ""));
  const isKept = (member: string) =>
    !isAttributeMember(member) ||
    !(
      rejected.includes("/attributes") ||
      rejected.includes(`/attributes/${member.slice(attributePrefix.length)}`)
    );
  const kept = Object.fromEntries(Object.entries(members).filter(([member]) => isKept(member)));
  const keptCount = Object.keys(kept).length;
  if (keptCount === 0 || keptCount === Object.keys(members).length) return stored;
  return attemptMembers(tx, kept, store);
}

function isAttributeMember(member: string): boolean {
  return member.startsWith(attributePrefix);
}
