import { isEraseBlocked } from "../core/file-erasure.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import { hasTraits } from "../organizations/settings.ts";
import { eraseContacts } from "./contact-erasure.ts";
import { eraseEvents } from "./events.ts";
import { contactsOf, pendingUsersOf, RecordedContacts } from "./links.ts";
import { Person, type PersonKeys } from "./person.ts";
import { eraseReplies } from "./replies.ts";
import { pauseAfter } from "./steps.ts";
import { eraseUsageUsers } from "./usage.ts";

/** The numbers of rows that an erasure changed or deleted. */
type ErasureCounts = {
  contacts: number;
  events: number;
  usageUsers: number;
  changes: number;
  idempotentReplies: number;
  /** Present if another program prevents the erasure of the file, which a job then continues. */
  filePending?: true;
};

/**
 * Erases a person from the organization, in steps of some milliseconds, between which other requests run. A repeated
 * erasure completes one that was interrupted: the contacts and the change log, which link identifiers, come last. A dry
 * run only counts. Waits for other erasures of the organization in this process; throws `too_busy` if too many do, or for too long.
 */
export function erasePerson(tenant: Tenant, keys: PersonKeys, isDryRun: boolean): Promise<ErasureCounts> {
  return tenant.runErasure(async ({ erasePart, postpone }) => {
    const counts = await eraseRows(tenant, keys, isDryRun);
    if (isDryRun || (await eraseFiles(erasePart))) return counts;
    await postpone();
    return { ...counts, filePending: true };
  });
}

async function eraseRows(tenant: Tenant, keys: PersonKeys, isDryRun: boolean): Promise<ErasureCounts> {
  const person = await findPerson(tenant, keys);
  const events = await eraseEvents(tenant, person, isDryRun);
  const usageUsers = await eraseUsageUsers(tenant, person, isDryRun);
  const idempotentReplies = await eraseReplies(tenant, person, isDryRun);
  const changes = await eraseContacts(tenant, person, isDryRun);
  const contacts = [...person.rows.values()].filter((isStored) => isStored).length;
  return { contacts, events, usageUsers, changes, idempotentReplies };
}

/** The person with all identifiers that contacts and pending traits link, also the contacts that were deleted. */
async function findPerson(tenant: Tenant, keys: PersonKeys): Promise<Person> {
  const person = new Person(keys, await tenant.readOne(hasTraits));
  const stored = [contactsOf(tenant), await pendingUsersOf(tenant)];
  await person.extend(stored);
  const recorded = await RecordedContacts.read(tenant, person);
  await person.extend([...stored, recorded.findLinks]);
  for (const contactId of recorded.erasedIds) person.add({ row: contactId, userIds: [] });
  return person;
}

/** Erases what the rows left in the files of the database. Resolves with false if another program prevents it. */
async function eraseFiles(erasePart: () => Promise<boolean>): Promise<boolean> {
  try {
    for (let hasMore = true; hasMore; ) {
      const start = performance.now();
      hasMore = await erasePart();
      await pauseAfter(start);
    }
    return true;
  } catch (error) {
    if (isEraseBlocked(error)) return false;
    throw error;
  }
}
