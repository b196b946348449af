import { fold } from "../core/folding.ts";
import type { Tenant } from "../core/tenant.ts";
import { eraseChanges, findRecordedContacts } from "./changes.ts";
import { deleteContacts, findContacts, withoutContact } from "./contacts.ts";
import { eraseEvents } from "./events.ts";
import type { Person, PersonKeys } from "./person.ts";
import { eraseReplies } from "./replies.ts";
import { pauseAfter } from "./steps.ts";
import { eraseUsageUsers } from "./usage.ts";

/** The numbers of rows that an erasure changed or deleted. */
export type ErasureCounts = {
  contacts: number;
  events: number;
  usageUsers: number;
  changes: number;
  idempotentReplies: number;
};

/**
 * Erases a person from the organization, in steps of some milliseconds, between which other requests run. A repeated
 * erasure completes one that was interrupted: the change log, by which deleted contacts are found, comes last. A dry
 * run only counts. Waits for other erasures of the organization in this process; throws EngineBusy if too many do.
 */
export function erasePerson(tenant: Tenant, keys: PersonKeys, isDryRun: boolean): Promise<ErasureCounts> {
  return tenant.runLongChange(async (erasePart) => {
    const counts = await eraseRows(tenant, keys, isDryRun);
    if (!isDryRun) await eraseFiles(erasePart);
    return counts;
  });
}

async function eraseRows(tenant: Tenant, keys: PersonKeys, isDryRun: boolean): Promise<ErasureCounts> {
  const contacts = await findContacts(tenant, keys);
  const person = await findPerson(tenant, keys, contacts);
  const events = await eraseEvents(tenant, person, isDryRun);
  const usageUsers = await eraseUsageUsers(tenant, person, isDryRun);
  const idempotentReplies = await eraseReplies(tenant, person, isDryRun);
  // The deletions are changes, too.
  if (!isDryRun) await deleteContacts(tenant, contacts.ids);
  const changes = await eraseChanges(tenant, person, isDryRun);
  const deletionCount = isDryRun ? contacts.ids.length : 0;
  return {
    contacts: contacts.ids.length,
    events,
    usageUsers,
    changes: changes + deletionCount,
    idempotentReplies,
  };
}

/** The person with all its contacts, also those that were deleted, and with the user ids of these. */
async function findPerson(
  tenant: Tenant,
  { email, userId }: PersonKeys,
  { ids, userIds, isExternalIdUserId }: Awaited<ReturnType<typeof findContacts>>,
): Promise<Person> {
  const found = {
    foldedEmail: email === undefined ? undefined : fold(email),
    userIds: new Set([...userIds, ...(userId === undefined ? [] : [userId])]),
    contactIds: new Set(ids),
  };
  const recorded = await findRecordedContacts(tenant, found, isExternalIdUserId);
  // A contact that has another address now is another person.
  const deleted = await withoutContact(tenant, [...recorded.userIds.keys()]);
  return {
    ...found,
    userIds: new Set([...found.userIds, ...deleted.flatMap((id) => [...(recorded.userIds.get(id) ?? [])])]),
    contactIds: new Set([...ids, ...deleted, ...recorded.erasedIds]),
  };
}

/** Erases what the rows left in the files of the database. */
async function eraseFiles(erasePart: () => Promise<boolean>): Promise<void> {
  for (let hasMore = true; hasMore; ) {
    const start = performance.now();
    hasMore = await erasePart();
    await pauseAfter(start);
  }
}
