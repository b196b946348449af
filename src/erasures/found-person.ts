import { foldAddress } from "../core/folding.ts";
import type { Person, PersonKeys } from "./person.ts";

/** What one row has of a person: an address and user ids that belong together, and the contact that has them. */
export type Link = {
  email?: string | null | undefined;
  userIds: readonly (string | null | undefined)[];
  contactId?: number;
  /** Whether the contact exists. */
  isStored?: boolean;
  /** The user id of pending traits. */
  pendingUserId?: string;
};
/** What was added to a person: folded addresses, user ids and texts that may be user ids, and ids of contacts. */
export type Added = { addresses: string[]; userIds: string[]; contactIds: number[] };
/** Finds the rows that have one of the added identifiers. */
export type LinkSource = (added: Added, person: FoundPerson) => Promise<Link[]>;

/** A person to which identifiers and contacts are added. */
export class FoundPerson implements Person {
  readonly addresses = new Set<string>();
  readonly userIds = new Set<string>();
  readonly texts = new Set<string>();
  readonly contactIds = new Set<number>();
  /** The contacts that exist. */
  readonly storedIds = new Set<number>();
  readonly pendingUserIds = new Set<string>();
  /** `contactIds` and `pendingUserIds` in the order in which they were found. */
  readonly found = new Set<number | string>();
  readonly isExternalIdUserId: boolean;
  #added: Added = { addresses: [], userIds: [], contactIds: [] };

  constructor({ email, userId }: PersonKeys, isExternalIdUserId: boolean) {
    this.isExternalIdUserId = isExternalIdUserId;
    this.add({ email, userIds: [userId] });
  }

  /** Adds what the sources have of the person, until none has anything new. */
  async extend(sources: readonly LinkSource[]): Promise<void> {
    const { addresses, texts, contactIds } = this;
    let added: Added = { addresses: [...addresses], userIds: [...texts], contactIds: [...contactIds] };
    while (Object.values(added).some(({ length }) => length > 0)) {
      this.#added = { addresses: [], userIds: [], contactIds: [] };
      for (const findLinks of sources) for (const link of await findLinks(added, this)) this.add(link);
      added = this.#added;
    }
  }

  add({ email, userIds, contactId, isStored = false, pendingUserId }: Link): void {
    if (pendingUserId !== undefined) this.pendingUserIds.add(pendingUserId);
    for (const row of [contactId, pendingUserId]) if (row !== undefined) this.found.add(row);
    if (contactId !== undefined && !this.contactIds.has(contactId)) {
      this.contactIds.add(contactId);
      if (isStored) this.storedIds.add(contactId);
      this.#added.contactIds.push(contactId);
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
