import { asc, eq, isNull, lt, lte, or, sql } from "drizzle-orm";
import { hasFoldedAddress } from "../../db/addresses.ts";
import { allOf, inputs, integerInput, largerOf, pick, withoutIndex } from "../../db/expressions.ts";
import { contacts, lastSeen } from "../../db/schema.ts";
import { markScoresStale } from "../account-counts/stale-scores.ts";
import { foldAddress } from "../core/folding.ts";
import type { ItemError } from "../core/item-codes.ts";
import { writeBatchSize } from "../core/pauses.ts";
import { type AccountReference, findAccounts } from "../core/resource/account-reference.ts";
import { insert, remove, select, update } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { otherUser, personFinder } from "./persons.ts";

/** When a platform saw an account or a person. `lastSeenAt` is in milliseconds since 1970 UTC. */
export type LastSeenItem = {
  accountId?: number | undefined;
  externalId?: string | undefined;
  contactEmail?: string | undefined;
  userId?: string | undefined;
  source: string;
  lastSeenAt: number;
};
type Candidate = LastSeenItem | ItemError;
type LastSeenReceipt = {
  accepted: number;
  rejected: number;
  items: ({ index: number } & ItemError)[];
};

/** The number of contacts that one address may update, and that all addresses of a request may update together. */
const maxContactsPerEmail = 1_000;
const maxContactsPerRequest = 10_000;
const upsertLastSeen = insert("lastSeen.upsert", {
  into: lastSeen,
  values: inputs(lastSeen, "accountId", "source", "lastSeenAt"),
  onConflict: {
    target: [lastSeen.organizationId, lastSeen.accountId, lastSeen.source],
    set: { lastSeenAt: largerOf(lastSeen.lastSeenAt) },
  },
});
const contactsByEmail = select("lastSeen.contactsByEmail", {
  fields: pick(contacts, "id", "accountId", "userId"),
  from: contacts,
  where: hasFoldedAddress("email"),
  orderBy: [asc(withoutIndex(contacts.id))],
  paged: true,
});
const updateContacts = update("lastSeen.updateContacts", {
  table: contacts,
  set: inputs(contacts, "lastSeenAt"),
  where: allOf(
    hasFoldedAddress("email"),
    lte(contacts.id, integerInput("lastId")),
    or(isNull(contacts.userId), eq(integerInput("includesUsers"), sql`1`)),
    or(isNull(contacts.lastSeenAt), lt(contacts.lastSeenAt, integerInput("lastSeenAt"))),
  ),
});
const updateContact = update("lastSeen.updateContact", {
  table: contacts,
  set: inputs(contacts, "lastSeenAt"),
  where: allOf(
    eq(contacts.id, integerInput("id")),
    or(isNull(contacts.lastSeenAt), lt(contacts.lastSeenAt, integerInput("lastSeenAt"))),
  ),
  key: ["id"],
});
const lastSeenOfAccount = remove("lastSeen.deleteByAccount", {
  from: lastSeen,
  where: eq(lastSeen.accountId, integerInput("accountId")),
});

export async function deleteLastSeenOfAccount(tx: TenantTransaction, accountId: number): Promise<void> {
  await tx.run(lastSeenOfAccount, { accountId });
}

const unknownAccount: ItemError = {
  code: "unknown_account",
  detail: "there is no such account, or contact with this address or user id",
};
const tooMany: ItemError = {
  code: "too_many",
  detail: "the items reach more than 10,000 contacts: send this one in another request",
};

/**
 * Stores the latest timestamp of each account and source. An item of a user updates the user's contact and its account,
 * one with an e-mail address every contact that has the address, and their accounts.
 */
export async function storeLastSeen(
  tx: TenantTransaction,
  candidates: readonly Candidate[],
): Promise<LastSeenReceipt> {
  const errors: ({ index: number } & ItemError)[] = [];
  const findAccountOf = await findAccounts(tx, candidates.filter(isItem).map(accountReferenceOf));
  const userIds = candidates.filter(isItem).flatMap(({ userId }) => userId ?? []);
  const findPerson = await personFinder(tx, userIds);
  // The latest item of each key is stored. The others change nothing and have the same outcome.
  const outcomes = new Map<string, ItemError | undefined>();
  let remainingContacts = maxContactsPerRequest;
  const updates = new Map<string, { accountId: number; source: string; lastSeenAt: number }>();
  for (const { candidate, index } of latestFirst(candidates)) {
    const key = itemKey(candidate);
    if (!outcomes.has(key)) {
      const result = isItem(candidate) ? await storeItem(candidate) : candidate;
      outcomes.set(key, result);
      // No further address is looked up then: each may have 1,000 contacts.
      if (result === tooMany) remainingContacts = 0;
    }
    const error = outcomes.get(key);
    if (error) errors.push({ index, code: error.code, detail: error.detail });
  }
  await updateAccounts(tx, [...updates.values()]);
  const items = errors.toSorted((a, b) => a.index - b.index);
  return { accepted: candidates.length - items.length, rejected: items.length, items };

  /** Updates the contacts of an item that has a user, or an e-mail address and no account; adds its accounts to `updates`. */
  async function storeItem(item: LastSeenItem): Promise<ItemError | undefined> {
    const { accountId, externalId, contactEmail, userId, lastSeenAt } = item;
    const hasAccount = accountId !== undefined || externalId !== undefined;
    const found = hasAccount ? findAccountOf(accountReferenceOf(item)) : undefined;
    if (hasAccount && found === undefined) return unknownAccount;
    const person =
      userId === undefined ? undefined : await findPerson({ userId, contactEmail, accountId: found });
    if (person && "code" in person) return person;
    if (person) {
      await tx.run(updateContact, { id: person.id, lastSeenAt });
      addUpdate(person.accountId, item);
      return undefined;
    }
    if (found !== undefined) {
      addUpdate(found, item);
      return undefined;
    }
    if (remainingContacts === 0) return tooMany;
    const email = foldAddress(contactEmail ?? "");
    const addressed = await tx.all(contactsByEmail, { email, limit: maxContactsPerEmail, offset: 0 });
    if (addressed.length === 0) return unknownAccount;
    // A contact with another userId is another person.
    const seen = userId === undefined ? addressed : addressed.filter((contact) => contact.userId === null);
    if (seen.length === 0) return otherUser;
    if (addressed.length > remainingContacts) return tooMany;
    remainingContacts -= addressed.length;
    const includesUsers = userId === undefined ? 1 : 0;
    await tx.run(updateContacts, {
      email,
      lastId: addressed.at(-1)?.id ?? 0,
      lastSeenAt,
      includesUsers,
    });
    for (const contact of seen) addUpdate(contact.accountId, item);
    return undefined;
  }

  function addUpdate(accountId: number, { source, lastSeenAt }: LastSeenItem): void {
    const key = `${accountId} ${source}`;
    // The items are ordered from the latest to the earliest.
    if (!updates.has(key)) updates.set(key, { accountId, source, lastSeenAt });
  }
}

async function updateAccounts(
  tx: TenantTransaction,
  updates: readonly { accountId: number; source: string; lastSeenAt: number }[],
): Promise<void> {
  for (let start = 0; start < updates.length; start += writeBatchSize) {
    if (start > 0) await tx.pause();
    const batch = updates.slice(start, start + writeBatchSize);
    await tx.insertAll(upsertLastSeen, batch);
    await markScoresStale(tx, [...new Set(batch.map(({ accountId }) => accountId))]);
  }
}

function isItem(candidate: Candidate): candidate is LastSeenItem {
  return !("code" in candidate);
}

function accountReferenceOf({ accountId, externalId }: LastSeenItem): AccountReference {
  return { accountId, accountExternalId: externalId };
}

function latestFirst(candidates: readonly Candidate[]) {
  const at = (candidate: Candidate) => ("code" in candidate ? 0 : candidate.lastSeenAt);
  return candidates
    .map((candidate, index) => ({ candidate, index }))
    .sort((a, b) => at(b.candidate) - at(a.candidate));
}

/** Equal for items of the same account, e-mail address and user, and source. */
function itemKey(candidate: Candidate): string {
  if ("code" in candidate) return JSON.stringify([candidate.code, candidate.detail]);
  const { accountId, externalId, contactEmail, userId, source } = candidate;
  const ids = [accountId ?? null, externalId ?? null, userId ?? null];
  return JSON.stringify([...ids, foldAddress(contactEmail ?? ""), source]);
}
