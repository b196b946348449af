import { fold } from "../core/folding.ts";

/** What identifies the person to erase: an address in any letter case, or a user id, or both. */
export type PersonKeys = { email?: string | undefined; userId?: string | undefined };

/** The person, as the parts of an erasure find it. */
export type Person = {
  foldedEmail: string | undefined;
  userIds: ReadonlySet<string>;
  /** The contacts that are deleted, also those that are deleted already. */
  contactIds: ReadonlySet<number>;
};

/** The name of an erased contact in the change log and in stored replies. */
export const erasedName = "erased";

/** Whether a user id is that of the person. An address as a user id is compared in any letter case. */
export function isUserOf({ foldedEmail, userIds }: Person, userId: string): boolean {
  return userIds.has(userId) || hasAddress(foldedEmail, userId);
}

/** Whether a value is the address, in any letter case. */
export function hasAddress(foldedEmail: string | undefined, value: unknown): boolean {
  return foldedEmail !== undefined && typeof value === "string" && fold(value) === foldedEmail;
}

/** Whether a text contains the user id, another one of the person or the address, in any letter case. */
export function hasKeyOf({ foldedEmail, userIds }: Person, userId: string, text: string): boolean {
  const folded = fold(text);
  const keys = [userId, ...userIds].map(fold);
  if (foldedEmail !== undefined) keys.push(foldedEmail);
  return keys.some((key) => folded.includes(key));
}

/** A random user id for the place of an erased one. */
export function newErasedUserId(): string {
  return `erased-${crypto.randomUUID().replaceAll("-", "")}`;
}

/** The members of a contact without those that say who it is. Members that are absent stay absent. */
export function withoutPerson(contact: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const erased = { name: erasedName, email: null, externalId: null, attributes: {} };
  const present = Object.entries(erased).filter(([name]) => name in contact);
  return { ...contact, ...Object.fromEntries(present) };
}
