import { asc, eq } from "drizzle-orm";
import { contacts, lastSeen } from "../../db/schema.ts";
import { inputs, integerInput, largerOf, textInput } from "../../db/statements.ts";
import { findAccount } from "../accounts/reference.ts";
import { fold } from "../core/folding.ts";
import { insert, type OwnWriter, select, type Tenant, update } from "../core/tenant.ts";
import { healthIsDue } from "../health-scores/stale.ts";

/** When a platform saw somebody of an account, or one person. `lastSeenAt` is in milliseconds since 1970 UTC. */
export type Sighting = {
  accountId?: number | undefined;
  externalId?: string | undefined;
  contactEmail?: string | undefined;
  source: string;
  lastSeenAt: number;
};
/** Why an item is not among those accepted. */
export type Outcome = { code: string; detail: string };
export type SeenReceipt = { accepted: number; rejected: number; items: ({ index: number } & Outcome)[] };

/** A person is a contact of so many accounts at most, as far as this matters; all persons of a request, of so many. */
const mostContacts = 1_000;
const mostReached = 10_000;
/** After how many accounts others get their turn. */
const step = 100;

const noteSeen = insert({
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
const noteContactSeen = update({
  table: contacts,
  set: inputs("lastSeenAt"),
  where: eq(contacts.id, integerInput("id")),
});

const unknown = { code: "unknown_account", detail: "there is no such account, or contact with this address" };
const tooMany = {
  code: "too_many",
  detail: "the other items reach 10,000 contacts: send this one in another request",
};

/**
 * Stores when other platforms last saw accounts and people, in one transaction. Of each source its latest
 * moment is kept. A person who is a contact of several accounts was seen for each of them.
 */
export function receiveSightings(
  tenant: Tenant,
  candidates: readonly (Sighting | Outcome)[],
): Promise<SeenReceipt> {
  return tenant.write(async (rows) => {
    const receipt: SeenReceipt = { accepted: 0, rejected: 0, items: [] };
    // The latest of each comes first, and what follows says nothing new.
    const noted = new Map<string, Outcome | undefined>();
    let [reached, pausedAt] = [0, 0];
    for (const { candidate, index } of latestFirst(candidates)) {
      const name = nameOf(candidate);
      if (!noted.has(name)) {
        if ("code" in candidate) noted.set(name, candidate);
        else if (reached >= mostReached) noted.set(name, tooMany);
        else {
          const accounts = await note(rows, candidate);
          reached += accounts;
          noted.set(name, accounts === 0 ? unknown : undefined);
        }
      }
      if (reached - pausedAt >= step) {
        await rows.pause();
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

function latestFirst(candidates: readonly (Sighting | Outcome)[]) {
  const at = (candidate: Sighting | Outcome) => ("code" in candidate ? 0 : candidate.lastSeenAt);
  return candidates
    .map((candidate, index) => ({ candidate, index }))
    .sort((one, other) => at(other.candidate) - at(one.candidate));
}

/** What was seen, and by whom. */
function nameOf(candidate: Sighting | Outcome): string {
  if ("code" in candidate) return JSON.stringify([candidate.code, candidate.detail]);
  const { accountId, externalId, contactEmail, source } = candidate;
  return JSON.stringify([accountId ?? null, externalId ?? null, contactEmail ?? null, source]);
}

/** Resolves with how many accounts it concerns. */
async function note(rows: OwnWriter, sighting: Sighting): Promise<number> {
  const { source, lastSeenAt } = sighting;
  const accountIds = await accountsOf(rows, sighting);
  for (const accountId of accountIds) {
    await rows.run(noteSeen, { accountId, source, lastSeenAt });
    await healthIsDue(rows, accountId);
  }
  return accountIds.size;
}

/** The accounts that a sighting concerns; the person, if it names one, is noted as seen. */
async function accountsOf(rows: OwnWriter, sighting: Sighting): Promise<Set<number>> {
  const { accountId, externalId, contactEmail, lastSeenAt } = sighting;
  if (accountId !== undefined || externalId !== undefined) {
    const found = await findAccount(rows, { accountId, accountExternalId: externalId });
    return new Set(found === undefined ? [] : [found]);
  }
  const asked = { email: fold(contactEmail ?? ""), limit: mostContacts, offset: 0 };
  const people = await rows.all(contactsByEmail, asked);
  for (const person of people)
    if (person.lastSeenAt === null || person.lastSeenAt < lastSeenAt)
      await rows.run(noteContactSeen, { id: person.id, lastSeenAt });
  return new Set(people.map((person) => person.accountId));
}
