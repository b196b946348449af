import { asc, eq } from "drizzle-orm";
import { inputs, integerInput, largerOf, textInput } from "../../db/expressions.ts";
import { contacts, lastSeen } from "../../db/schema.ts";
import { findAccount } from "../core/account-reference.ts";
import type { ItemCode } from "../core/errors.ts";
import { fold } from "../core/folding.ts";
import type { TenantTransaction } from "../core/tenant.ts";
import { insert, remove, select, update } from "../core/tenant-statements.ts";
import { markScoreStale } from "../health-scores/stale.ts";

/** When a platform saw an account or a person. `lastSeenAt` is in milliseconds since 1970 UTC. */
export type LastSeenItem = {
  accountId?: number | undefined;
  externalId?: string | undefined;
  contactEmail?: string | undefined;
  source: string;
  lastSeenAt: number;
};
/** Why an item was not accepted. */
export type LastSeenError = { code: ItemCode; detail: string };
type Candidate = LastSeenItem | LastSeenError;
export type LastSeenReceipt = {
  accepted: number;
  rejected: number;
  items: ({ index: number } & LastSeenError)[];
};

/** The number of contacts that one address may update, and that all addresses of a request may update together. */
const maxContactsPerEmail = 1_000;
const maxContactsPerRequest = 10_000;
/** Accounts to update between two pauses. */
const accountsPerPause = 100;

const upsertLastSeen = insert("lastSeen.upsert", {
  into: lastSeen,
  values: inputs(lastSeen, "accountId", "source", "lastSeenAt"),
  onConflict: {
    target: [lastSeen.organizationId, lastSeen.accountId, lastSeen.source],
    set: { lastSeenAt: largerOf(lastSeen.lastSeenAt) },
  },
});
const contactsByEmail = select("lastSeen.contactsByEmail", {
  fields: { id: contacts.id, accountId: contacts.accountId, lastSeenAt: contacts.lastSeenAt },
  from: contacts,
  where: eq(contacts.foldedEmail, textInput("email")),
  orderBy: [asc(contacts.id)],
  paged: true,
});
const updateContact = update("lastSeen.updateContact", {
  table: contacts,
  set: inputs(contacts, "lastSeenAt"),
  where: eq(contacts.id, integerInput("id")),
});
const lastSeenOfAccount = remove("lastSeen.deleteByAccount", {
  from: lastSeen,
  where: eq(lastSeen.accountId, integerInput("accountId")),
});

/** Deletes the last-seen timestamps of an account. */
export async function deleteLastSeenOfAccount(tx: TenantTransaction, accountId: number): Promise<void> {
  await tx.run(lastSeenOfAccount, { accountId });
}

type StoredCounts = { accountCount: number; contactCount: number };

const unknownAccount: LastSeenError = {
  code: "unknown_account",
  detail: "there is no such account, or contact with this address",
};
const tooMany: LastSeenError = {
  code: "too_many",
  detail: "the items reach more than 10,000 contacts: send this one in another request",
};

/**
 * Stores the latest timestamp of each account and source. An item with an e-mail address updates every contact that has
 * the address, and their accounts.
 */
export async function storeLastSeen(
  tx: TenantTransaction,
  candidates: readonly Candidate[],
): Promise<LastSeenReceipt> {
  const errors: ({ index: number } & LastSeenError)[] = [];
  // The latest item of each key is stored. The others change nothing and have the same outcome.
  const outcomes = new Map<string, LastSeenError | undefined>();
  let [remainingContacts, accountsSincePause] = [maxContactsPerRequest, 0];
  for (const { candidate, index } of latestFirst(candidates)) {
    const key = itemKey(candidate);
    if (!outcomes.has(key)) {
      const result = "code" in candidate ? candidate : await storeItem(tx, candidate, remainingContacts);
      outcomes.set(key, "code" in result ? result : undefined);
      // No further address is looked up then: each may have 1,000 contacts.
      if (result === tooMany) remainingContacts = 0;
      if (!("code" in result)) {
        remainingContacts -= result.contactCount;
        accountsSincePause += result.accountCount;
      }
    }
    if (accountsSincePause >= accountsPerPause) {
      await tx.pause();
      accountsSincePause = 0;
    }
    const error = outcomes.get(key);
    if (error) errors.push({ index, code: error.code, detail: error.detail });
  }
  const items = errors.toSorted((a, b) => a.index - b.index);
  return { accepted: candidates.length - items.length, rejected: items.length, items };
}

function latestFirst(candidates: readonly Candidate[]) {
  const at = (candidate: Candidate) => ("code" in candidate ? 0 : candidate.lastSeenAt);
  return candidates
    .map((candidate, index) => ({ candidate, index }))
    .sort((a, b) => at(b.candidate) - at(a.candidate));
}

/** Equal for items of the same account, or the same e-mail address, and source. */
function itemKey(candidate: Candidate): string {
  if ("code" in candidate) return JSON.stringify([candidate.code, candidate.detail]);
  const { accountId, externalId, contactEmail, source } = candidate;
  return JSON.stringify([accountId ?? null, externalId ?? null, contactEmail ?? null, source]);
}

/**
 * Updates the accounts of an item and, if it has no account but an e-mail address, the contacts with the address.
 * Changes nothing when these are more than `maxContacts`.
 */
async function storeItem(
  tx: TenantTransaction,
  item: LastSeenItem,
  maxContacts: number,
): Promise<StoredCounts | LastSeenError> {
  const { accountId, externalId, contactEmail, source, lastSeenAt } = item;
  const accountIds = new Set<number>();
  let contactCount = 0;
  if (accountId === undefined && externalId === undefined) {
    if (maxContacts === 0) return tooMany;
    const email = fold(contactEmail ?? "");
    const rows = await tx.all(contactsByEmail, { email, limit: maxContactsPerEmail, offset: 0 });
    if (rows.length > maxContacts) return tooMany;
    contactCount = rows.length;
    for (const contact of rows) {
      accountIds.add(contact.accountId);
      if (contact.lastSeenAt === null || contact.lastSeenAt < lastSeenAt)
        await tx.run(updateContact, { id: contact.id, lastSeenAt });
    }
  } else {
    const found = await findAccount(tx, { accountId, accountExternalId: externalId });
    if (found !== undefined) accountIds.add(found);
  }
  if (accountIds.size === 0) return unknownAccount;
  for (const id of accountIds) {
    await tx.run(upsertLastSeen, { accountId: id, source, lastSeenAt });
    await markScoreStale(tx, id);
  }
  return { accountCount: accountIds.size, contactCount };
}
