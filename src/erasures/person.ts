import { foldAddress } from "../core/folding.ts";

/** What the request names: an address in any letter case, or a user id, or both. */
export type PersonKeys = { email?: string | undefined; userId?: string | undefined };

/** The person, as the parts of an erasure find it. */
export type Person = {
  /** Folded. */
  addresses: ReadonlySet<string>;
  userIds: ReadonlySet<string>;
  /** The addresses and the user ids as texts: each address folded, and as it was found first. */
  texts: ReadonlySet<string>;
  /** Whether external ids of contacts are user ids. */
  isExternalIdUserId: boolean;
  /** The contacts to delete and those deleted already, in the order in which they were found. */
  contactIds: ReadonlySet<number>;
};

/** The name of an erased contact in the change log and in stored replies. */
export const erasedName = "erased";

/** Whether a user id is that of the person. Addresses as user ids are compared as addresses. */
export function isUserOf(person: Person, userId: string): boolean {
  return person.userIds.has(userId) || hasAddress(person, userId);
}

/** Whether a value is equal to an address of the person. */
export function hasAddress({ addresses }: Person, value: unknown): boolean {
  return addresses.size > 0 && typeof value === "string" && addresses.has(foldAddress(value));
}

/** Whether the external id of a contact is a user id of the person. */
export function hasExternalId(person: Person, value: unknown): boolean {
  return person.isExternalIdUserId && typeof value === "string" && isUserOf(person, value);
}

/** Whether a contact has an address or a user id of the person. */
export function isContactOf(person: Person, contact: { email?: unknown; externalId?: unknown }): boolean {
  return hasAddress(person, contact.email) || hasExternalId(person, contact.externalId);
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
