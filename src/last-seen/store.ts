import { asc, eq } from "drizzle-orm";
import { contacts, lastSeen } from "../../db/schema.ts";
import { inputs, integerInput, largerOf, textInput } from "../../db/statements.ts";
import { findAccount } from "../accounts/reference.ts";
import type { ItemCode } from "../core/errors.ts";
import { fold } from "../core/folding.ts";
import { insert, select, type Tenant, type TenantTransaction, update } from "../core/tenant.ts";
import { healthIsDue } from "../health-scores/stale.ts";

/** When a platform saw somebody of an account, or one person. `lastSeenAt` is in milliseconds since 1970 UTC. */
export type LastSeenItem = {
  accountId?: number | undefined;
  externalId?: string | undefined;
  contactEmail?: string | undefined;
  source: string;
  lastSeenAt: number;
};
/** Why an item is not among those accepted. */
export type LastSeenError = { code: ItemCode; detail: string };
export type LastSeenReceipt = {
  accepted: number;
  rejected: number;
  items: ({ index: number } & LastSeenError)[];
};

/** A person is a contact of so many accounts at most, as far as this matters; all persons of a request, of so many. */
const maxContactsPerEmail = 1_000;
const maxContactsPerRequest = 10_000;
/** After how many accounts others get their turn. */
const yieldEvery = 100;

const upsertLastSeen = insert({
  into: lastSeen,
  values: inputs("accountId", "source", "lastSeenAt"),
  onConflict: {
    target: [lastSeen.organizationId, lastSeen.accountId, lastSeen.source],
    set: { lastSeenAt: largerOf(lastSeen.lastSeenAt) },
  },
});
const contactsByEmail = select({
  fields: { id: contacts.id, accountId: contacts.accountId, lastSeenAt: contacts.lastSeenAt },
  from: contacts,
  where: eq(contacts.foldedEmail, textInput("email")),
  orderBy: [asc(contacts.id)],
  paged: true,
});
const updateContactLastSeen = update({
  table: contacts,
  set: inputs("lastSeenAt"),
  where: eq(contacts.id, integerInput("id")),
});

const unknownAccount: LastSeenError = {
  code: "unknown_account",
  detail: "there is no such account, or contact with this address",
};
const tooMany: LastSeenError = {
  code: "too_many",
  detail: "the other items reach 10,000 contacts: send this one in another request",
};

/**
 * Stores when other platforms last saw accounts and people, in one transaction. Of each source its latest
 * moment is kept. A person who is a contact of several accounts was seen for each of them.
 */
export function storeLastSeen(
  tenant: Tenant,
  candidates: readonly (LastSeenItem | LastSeenError)[],
): Promise<LastSeenReceipt> {
  return tenant.write(async (tx) => {
    const receipt: LastSeenReceipt = { accepted: 0, rejected: 0, items: [] };
    // The latest of each comes first, and what follows says nothing new.
    const noted = new Map<string, LastSeenError | undefined>();
    let [reached, pausedAt] = [0, 0];
    for (const { candidate, index } of latestFirst(candidates)) {
      const name = itemKey(candidate);
      if (!noted.has(name)) {
        if ("code" in candidate) noted.set(name, candidate);
        else if (reached >= maxContactsPerRequest) noted.set(name, tooMany);
        else {
          const accounts = await storeItem(tx, candidate);
          reached += accounts;
          noted.set(name, accounts === 0 ? unknownAccount : undefined);
        }
      }
      if (reached - pausedAt >= yieldEvery) {
        await tx.pause();
        pausedAt = reached;
      }
      const refusal = noted.get(name);
      if (!refusal) receipt.accepted += 1;
      else {
        receipt.rejected += 1;
        receipt.items.push({ index, code: refusal.code, detail: refusal.detail });
      }
    }
    receipt.items.sort((one, other) => one.index - other.index);
    return receipt;
  });
}

function latestFirst(candidates: readonly (LastSeenItem | LastSeenError)[]) {
  const at = (candidate: LastSeenItem | LastSeenError) => ("code" in candidate ? 0 : candidate.lastSeenAt);
  return candidates
    .map((candidate, index) => ({ candidate, index }))
    .sort((one, other) => at(other.candidate) - at(one.candidate));
}

/** What was seen, and by whom. */
function itemKey(candidate: LastSeenItem | LastSeenError): string {
  if ("code" in candidate) return JSON.stringify([candidate.code, candidate.detail]);
  const { accountId, externalId, contactEmail, source } = candidate;
  return JSON.stringify([accountId ?? null, externalId ?? null, contactEmail ?? null, source]);
}

/** Resolves with how many accounts it concerns. */
async function storeItem(tx: TenantTransaction, sighting: LastSeenItem): Promise<number> {
  const { source, lastSeenAt } = sighting;
  const accountIds = await accountsOf(tx, sighting);
  for (const accountId of accountIds) {
    await tx.run(upsertLastSeen, { accountId, source, lastSeenAt });
    await healthIsDue(tx, accountId);
  }
  return accountIds.size;
}

/** The accounts that a sighting concerns; the person, if it names one, is noted as seen. */
async function accountsOf(tx: TenantTransaction, sighting: LastSeenItem): Promise<Set<number>> {
  const { accountId, externalId, contactEmail, lastSeenAt } = sighting;
  if (accountId !== undefined || externalId !== undefined) {
    const found = await findAccount(tx, { accountId, accountExternalId: externalId });
    return new Set(found === undefined ? [] : [found]);
  }
  const asked = { email: fold(contactEmail ?? ""), limit: maxContactsPerEmail, offset: 0 };
  const people = await tx.all(contactsByEmail, asked);
  for (const person of people)
    if (person.lastSeenAt === null || person.lastSeenAt < lastSeenAt)
      await tx.run(updateContactLastSeen, { id: person.id, lastSeenAt });
  return new Set(people.map((person) => person.accountId));
}
