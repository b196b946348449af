import { asc, eq, gt, type SQL, sql } from "drizzle-orm";
import { hasFoldedAddress } from "../../db/addresses.ts";
import { allOf, integerInput, isInJson, pick, textInput } from "../../db/expressions.ts";
import { contacts, pendingTraits } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { foldAddress } from "../core/folding.ts";
import { readBatchSize } from "../core/pauses.ts";
import { remove, select } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";
import { type ContactChange, isErased, readChanges, type Side, visitContactChanges } from "./changes.ts";
import { isContactOf, type Link, type LinkSource, type Person, type PersonKeys } from "./person.ts";
import { visitPages, visitParts } from "./steps.ts";

const isUser = eq(pendingTraits.type, sql`'user'`);
const usersAfter = select("erasures.pendingUsers", {
  fields: { userId: pendingTraits.id, email: pendingTraits.foldedEmail },
  from: pendingTraits,
  where: allOf(isUser, gt(pendingTraits.id, textInput("lastId"))),
  orderBy: [asc(pendingTraits.id)],
  paged: true,
});
const deleteUser = remove("erasures.deletePendingUser", {
  from: pendingTraits,
  where: allOf(isUser, eq(pendingTraits.id, textInput("userId"))),
});

type PendingUser = { userId: string; email: string | null };

/** Finds the users with pending traits who have an address or a user id of the person. Reads all of them: at most 10,000. */
export async function pendingUsersOf(tenant: Tenant): Promise<LinkSource> {
  const users = new Map<string, Set<PendingUser>>();
  await visitPages(
    (last?: PendingUser) =>
      tenant.readOne((tx) =>
        tx.all(usersAfter, { lastId: last?.userId ?? "", limit: readBatchSize, offset: 0 }),
      ),
    async (page) => {
      // An address can be a user id.
      for (const user of page)
        for (const key of [user.userId, foldAddress(user.userId), user.email])
          if (key !== null) users.set(key, (users.get(key) ?? new Set()).add(user));
    },
  );
  return async ({ addresses, userIds }) =>
    [...addresses, ...userIds].flatMap((key) =>
      [...(users.get(key) ?? [])].map(({ userId, email }) => ({
        ...{ email, userIds: [userId], row: userId, isStored: true },
      })),
    );
}

export function deletePendingUser(tx: TenantTransaction, userId: string): Promise<void> {
  return tx.run(deleteUser, { userId });
}

const fields = pick(contacts, "id", "email", "externalId", "userId");
const contactsWhere = (name: string, where: SQL) =>
  select(`erasures.${name}`, { fields, from: contacts, where });
const withEmail = contactsWhere("contacts", hasFoldedAddress("email"));
const withExternalIds = contactsWhere(
  "contactsByExternalIds",
  isInJson(contacts.externalId, textInput("ids")),
);
const withId = contactsWhere("contact", eq(contacts.id, integerInput("id")));
const withUserIds = contactsWhere("contactsByUserIds", isInJson(contacts.userId, textInput("ids")));

/** Finds the contacts with an address, or with a user id as their `userId` or `externalId`. */
export function contactsOf(tenant: Tenant): LinkSource {
  return async ({ addresses, userIds }) => {
    const links: Link[] = [];
    const addLinks = (rows: Row<typeof fields>[]) => {
      for (const { id, email, externalId, userId } of rows)
        links.push({ row: id, email, userIds: [userId, externalId], isStored: true });
    };
    await visitParts(addresses, (part) =>
      tenant.read(async (snapshot) => {
        for (const email of part) addLinks(await snapshot.all(withEmail, { email }));
      }),
    );
    await visitParts(userIds, (part) =>
      tenant.read(async (snapshot) => {
        const ids = JSON.stringify(part);
        addLinks(await snapshot.all(withUserIds, { ids }));
        addLinks(await snapshot.all(withExternalIds, { ids }));
      }),
    );
    return links;
  };
}

async function readContacts(
  snapshot: TenantSnapshot,
  ids: Iterable<number>,
): Promise<Map<number, Row<typeof fields>>> {
  // With a list of ids, SQLite would read all contacts of the organization.
  const rows = await Promise.all(Array.from(ids, (id) => snapshot.first(withId, { id })));
  return new Map(rows.flatMap((row) => (row ? [[row.id, row]] : [])));
}

const identifiers = ["email", "userId", "externalId"] as const;
/** The identifiers of a contact at one time. A member is absent while it is not known. */
type State = { [Name in (typeof identifiers)[number]]?: string | null };
/** `stored` is undefined when the contact was deleted. */
type RecordedContact = { stored?: State | undefined; states: State[] };

/**
 * The contacts in the change log that were deleted, or had another identifier. Their identifiers are read from the log
 * when they are needed: the identifiers of all contacts would use much memory.
 */
export class RecordedContacts {
  /** The contacts that an erasure has changed. */
  readonly erasedIds = new Set<number>();
  readonly #tenant: Tenant;
  /** The sequence numbers of the changes with identifiers, by contact. */
  readonly #sequences = new Map<number, number[]>();
  /** The ids of contacts by the hashes of their identifiers, folded as addresses. */
  readonly #ids = new Map<number, number | number[]>();

  private constructor(tenant: Tenant) {
    this.#tenant = tenant;
  }

  /** Reads the change log once. */
  static async read(tenant: Tenant): Promise<RecordedContacts> {
    const recorded = new RecordedContacts(tenant);
    await visitContactChanges(tenant, async (found) => {
      const changes = found.filter((change) => recorded.#hasIdentifiers(change));
      const ids = new Set(changes.map(({ contactId }) => contactId));
      const stored = await tenant.read((snapshot) => readContacts(snapshot, ids));
      for (const change of changes) recorded.#add(change, stored.get(change.contactId));
    });
    return recorded;
  }

  /**
   * Finds the deleted contacts that had the identifiers, and what contacts of the person had before. Another contact that
   * exists and had an identifier before is another person.
   */
  readonly findLinks: LinkSource = async ({ addresses, userIds, contactIds }, person) => {
    const texts = [...addresses, ...userIds.map(foldAddress)];
    const ids = new Set([...contactIds, ...texts.flatMap((text) => this.#ids.get(hashOf(text)) ?? [])]);
    const links: Link[] = [];
    await this.visit((contact, contactId) => links.push(...linksOf(contactId, contact, person)), ids);
    return links;
  };

  /** Reads what is recorded of contacts, by default of all, one after another. */
  async visit(
    visitContact: (contact: RecordedContact, contactId: number) => void,
    contactIds: Iterable<number> = this.#sequences.keys(),
  ): Promise<void> {
    for (const contactId of contactIds) {
      const states: State[] = [];
      let stored: State | undefined;
      await visitParts(this.#sequences.get(contactId) ?? [], (part) =>
        this.#tenant.read(async (snapshot) => {
          stored = (await readContacts(snapshot, [contactId])).get(contactId);
          // One after another: a change can have 200 KiB.
          for (const sequence of part)
            for (const { sides } of await readChanges(snapshot, [{ sequence }]))
              for (const state of statesOf(sides)) addState(states, state);
        }),
      );
      if (states.length > 0) visitContact({ stored, states }, contactId);
    }
  }

  #hasIdentifiers({ contactId, sides }: ContactChange): boolean {
    const all = Object.values(sides);
    if (all.some(isErased)) this.erasedIds.add(contactId);
    return all.some((side) => identifiers.some((name) => name in side));
  }

  #add({ contactId, sequence, sides }: ContactChange, stored: State | undefined): void {
    const all = statesOf(sides);
    const sequences = this.#sequences.get(contactId);
    if (stored && !sequences && all.every((state) => hasMembers(stored, state))) return;
    if (sequences) sequences.push(sequence);
    else this.#sequences.set(contactId, [sequence]);
    for (const state of all)
      for (const value of Object.values(state)) if (value) this.#addText(foldAddress(value), contactId);
  }

  #addText(text: string, contactId: number): void {
    const hash = hashOf(text);
    const ids = this.#ids.get(hash);
    // An array for each identifier would need twice the memory.
    if (ids === undefined) this.#ids.set(hash, contactId);
    else if (typeof ids === "number") {
      if (ids !== contactId) this.#ids.set(hash, [ids, contactId]);
    } else if (ids.at(-1) !== contactId) ids.push(contactId);
  }
}

/** Other texts can have the hash, too: the contacts that it finds are compared. */
function hashOf(text: string): number {
  return Number(BigInt.asUintN(48, BigInt(Bun.hash(text))));
}

function linksOf(contactId: number, { stored, states }: RecordedContact, person: Person): Link[] {
  if (stored && !person.rows.has(contactId)) return [];
  return states.flatMap((state) => {
    const { email, userId, externalId } = { ...stored, ...state };
    if (!isContactOf(person, { email, userId, externalId })) return [];
    return { row: contactId, email, userIds: [userId, externalId] };
  });
}

/** The persons whom contacts with these ids are or were. */
export async function personsOf(tenant: Tenant, contactIds: ReadonlySet<number>): Promise<PersonKeys[]> {
  const recorded = await RecordedContacts.read(tenant);
  const stored = await tenant.read((snapshot) => readContacts(snapshot, contactIds));
  const states: State[] = [...stored.values()];
  await recorded.visit((contact) => states.push(...contact.states), contactIds);
  return states.flatMap((state) => {
    const [email, userId] = [state.email ?? undefined, state.userId ?? state.externalId ?? undefined];
    return email === undefined && userId === undefined ? [] : { email, userId };
  });
}

/** The identifiers of the sides of a change that no erasure has changed. */
function statesOf(sides: ContactChange["sides"]): State[] {
  return Object.values(sides)
    .filter((side) => !isErased(side))
    .map(stateOf);
}

function stateOf(side: Side): State {
  const known = identifiers.filter((name) => typeof side[name] === "string" || side[name] === null);
  return Object.fromEntries(known.map((name) => [name, side[name]]));
}

function hasMembers(stored: State, state: State): boolean {
  return identifiers.every((name) => !(name in state) || state[name] === stored[name]);
}

/** Adds the members of the next side of the contact. A member had its first recorded value before, too. */
function addState(states: State[], side: State): void {
  const last = states.at(-1) ?? {};
  const next = { ...last, ...side };
  if (Object.keys(last).length < Object.keys(next).length)
    for (const state of states) Object.assign(state, { ...side, ...state });
  if (states.length === 0 || !hasMembers(last, next)) states.push(next);
}
