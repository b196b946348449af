import { fold, foldAddress } from "../core/folding.ts";

const tokenStart = /(?<![\p{L}\p{N}])/gu;
const tokenEnd = /^(?![\p{L}\p{N}])/u;

/**
 * Returns a function that checks whether a text contains an identifier as a whole token, in any letter case: without a
 * letter or digit before or after it. Its duration does not depend on the number of identifiers of one length.
 */
export function tokenFinder(identifiers: Iterable<string>): (text: string) => boolean {
  const tokens = new Set(Array.from(identifiers, fold));
  const lengths = new Set(Array.from(tokens, ({ length }) => length));
  return (text) => {
    const folded = fold(text);
    for (const { index } of folded.matchAll(tokenStart))
      for (const length of lengths) {
        const end = index + length;
        if (tokens.has(folded.slice(index, end)) && tokenEnd.test(folded.slice(end))) return true;
      }
    return false;
  };
}

/** What the request names: an address in any letter case, or a user id, or both. */
export type PersonKeys = { email?: string | undefined; userId?: string | undefined };

/** Identifiers that a row has, which are of one person. `row` is the id of a contact, or of a pending user. */
export type Link = {
  email?: string | null | undefined;
  userIds: readonly (string | null | undefined)[];
  row?: number | string;
  isStored?: boolean;
};
/** What was added to a person: folded addresses, user ids and texts that may be user ids, and ids of contacts. */
type Added = { addresses: string[]; userIds: string[]; contactIds: number[] };
/** Finds the rows that have one of the added identifiers. */
export type LinkSource = (added: Added, person: Person) => Promise<Link[]>;

/** The person that the keys name, to which identifiers and rows are added. */
export class Person {
  /** Folded. */
  readonly addresses = new Set<string>();
  readonly userIds = new Set<string>();
  /** The addresses and the user ids as texts: each address folded, and as it was found first. */
  readonly texts = new Set<string>();
  /** The ids of contacts and of pending users in the order in which they were found, and whether they are stored. */
  readonly rows = new Map<number | string, boolean>();
  #added: Added = { addresses: [], userIds: [], contactIds: [] };

  constructor({ email, userId }: PersonKeys) {
    this.add({ email, userIds: [userId] });
  }

  /** Adds what the sources have of the person, until none has anything new. */
  async extend(sources: readonly LinkSource[]): Promise<void> {
    let added: Added = {
      addresses: [...this.addresses],
      userIds: [...this.texts],
      contactIds: [...this.rows.keys()].filter((id) => typeof id === "number"),
    };
    while (Object.values(added).some(({ length }) => length > 0)) {
      this.#added = { addresses: [], userIds: [], contactIds: [] };
      for (const findLinks of sources) for (const link of await findLinks(added, this)) this.add(link);
      added = this.#added;
    }
  }

  add({ email, userIds, row, isStored = false }: Link): void {
    if (row !== undefined) {
      if (typeof row === "number" && !this.rows.has(row)) this.#added.contactIds.push(row);
      this.rows.set(row, isStored || this.rows.get(row) === true);
    }
    if (email) this.#addAddress(email);
    for (const userId of userIds) if (userId) this.#addUserId(userId);
  }

  #addAddress(email: string): void {
    const address = foldAddress(email);
    if (this.addresses.has(address)) return;
    this.addresses.add(address);
    for (const text of [address, email]) this.texts.add(text);
    this.#added.addresses.push(address);
    // An address is also the user id of rows that have it.
    this.#added.userIds.push(...new Set([address, email]));
  }

  #addUserId(userId: string): void {
    if (this.userIds.has(userId)) return;
    this.userIds.add(userId);
    this.texts.add(userId);
    this.#added.userIds.push(userId);
  }
}

/** The name of an erased contact in the change log and in stored replies. */
const erasedName = "erased";

/** Whether a user id is one of the person. Addresses as user ids are compared as addresses. */
export function isUserOf(person: Person, userId: string): boolean {
  return person.userIds.has(userId) || hasAddress(person, userId);
}

export function hasAddress({ addresses }: Person, value: unknown): boolean {
  return addresses.size > 0 && typeof value === "string" && addresses.has(foldAddress(value));
}

export function hasUserId(person: Person, value: unknown): boolean {
  return typeof value === "string" && isUserOf(person, value);
}

/** Whether a contact has an address or a user id of the person, also as its external id. */
export function isContactOf(
  person: Person,
  { email, userId, externalId }: { email?: unknown; userId?: unknown; externalId?: unknown },
): boolean {
  return hasAddress(person, email) || hasUserId(person, userId) || hasUserId(person, externalId);
}

/** A random user id for the place of an erased one. */
export function newErasedUserId(): string {
  return `erased-${crypto.randomUUID().replaceAll("-", "")}`;
}

/** The members of a contact, without the members that say who it is. Members that are absent stay absent. */
export function withoutPerson(contact: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const erased = { name: erasedName, email: null, userId: null, externalId: null, attributes: {} };
  const present = Object.entries(erased).filter(([name]) => name in contact);
  return { ...contact, ...Object.fromEntries(present) };
}
