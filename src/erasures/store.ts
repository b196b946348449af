import { EraseBlocked } from "../../db/errors.ts";
import { contactStore } from "../contacts/store.ts";
import { lastSequence } from "../core/changes/account-changes.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { eraseChange, eraseChangesAfter, findChanges } from "./changes.ts";
import { eraseEvents } from "./events.ts";
import { contactsOf, deletePendingUser, pendingUsersOf, RecordedContacts } from "./links.ts";
import { Person, type PersonKeys } from "./person.ts";
import { eraseReplies } from "./replies.ts";
import { pauseAfter, writeRows } from "./steps.ts";
import { eraseUsageUsers } from "./usage.ts";

type ErasureStep = (tx: TenantTransaction) => Promise<void>;

/**
 * Deletes the contacts and the pending traits of the person and removes its values from the change log, of what was
 * found last first: after an interruption, the earlier rows still link the rest. Returns the number of changes, the
 * deletions included.
 */
async function eraseContacts(tenant: Tenant, person: Person, isDryRun: boolean): Promise<number> {
  const eraseFound =
    ({ sequence }: { sequence: number }): ErasureStep =>
    (tx) =>
      eraseChange(tx, person, sequence);
  const runSteps = (steps: ErasureStep[]) => writeRows(tenant, steps, (tx, step) => step(tx));
  const { found, lastSequence } = await findChanges(tenant, person);
  const storedContacts = [...person.rows].filter(([row, isStored]) => isStored && typeof row === "number");
  const count = found.length + storedContacts.length;
  if (isDryRun) return count;
  const others = found.filter(({ contactId }) => !person.rows.has(contactId));
  const changes = Map.groupBy<number | string, (typeof found)[0]>(found, ({ contactId }) => contactId);
  const steps = [...person.rows]
    .reverse()
    .flatMap(([row, isStored]): ErasureStep[] => [
      ...(isStored ? [(tx: TenantTransaction) => deleteRow(tx, person, row)] : []),
      ...(changes.get(row) ?? []).map(eraseFound),
    ]);
  await runSteps([...others.map(eraseFound), ...steps]);
  // Another request may have deleted or changed a contact meanwhile.
  const later = await findChanges(tenant, person, lastSequence);
  await runSteps(later.found.map(eraseFound));
  return count + later.found.length;
}

/**
 * Deletes a pending user, or a contact unless another request has deleted it. The recorded deletion is erased in the
 * transaction: the next erasure finds the contact by it.
 */
async function deleteRow(tx: TenantTransaction, person: Person, row: number | string): Promise<void> {
  if (typeof row === "string") return deletePendingUser(tx, row);
  const contact = await contactStore.find(tx, row);
  if (!contact) return;
  const sequence = await lastSequence(tx);
  await contactStore.remove(tx, contact);
  await eraseChangesAfter(tx, person, sequence);
}

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
  if (!isDryRun) await tenant.recordErasure(person.texts);
  const events = await eraseEvents(tenant, person, isDryRun);
  const usageUsers = await eraseUsageUsers(tenant, person, isDryRun);
  const idempotentReplies = await eraseReplies(tenant, person, isDryRun);
  const changes = await eraseContacts(tenant, person, isDryRun);
  const contacts = [...person.rows.values()].filter((isStored) => isStored).length;
  return { contacts, events, usageUsers, changes, idempotentReplies };
}

/** The person with all identifiers that contacts and pending traits link, also the contacts that were deleted. */
async function findPerson(tenant: Tenant, keys: PersonKeys): Promise<Person> {
  const person = new Person(keys);
  const stored = [contactsOf(tenant), await pendingUsersOf(tenant)];
  await person.extend(stored);
  const recorded = await RecordedContacts.read(tenant);
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
    if (error instanceof EraseBlocked) return false;
    throw error;
  }
}
