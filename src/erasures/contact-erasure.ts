import { contactStore } from "../contacts/store.ts";
import type { Tenant, TenantTransaction } from "../core/tenant.ts";
import { eraseChange, eraseChangesAfter, findChanges, lastSequenceOf } from "./changes.ts";
import type { FoundPerson } from "./found-person.ts";
import { deletePendingUser } from "./pending-users.ts";
import type { Person } from "./person.ts";
import { writeRows } from "./steps.ts";

type ErasureStep = { deletedId: number } | { sequence: number } | { pendingUserId: string };

/**
 * Deletes the contacts and the pending traits of the person and removes its values from the change log, of what was
 * found last first: after an interruption, the others still link the rest. Returns the number of changes, the deletions
 * included.
 */
export async function eraseContacts(tenant: Tenant, person: FoundPerson, isDryRun: boolean): Promise<number> {
  const { found, lastSequence } = await findChanges(tenant, person);
  const count = found.length + person.storedIds.size;
  if (isDryRun) return count;
  const changes = Map.groupBy(found, ({ contactId }) => contactId);
  const others = [...changes.keys()].filter((id) => !person.contactIds.has(id));
  const steps = [...others, ...[...person.found].reverse()].flatMap((row): ErasureStep[] =>
    typeof row === "string"
      ? [{ pendingUserId: row }]
      : [...(person.storedIds.has(row) ? [{ deletedId: row }] : []), ...(changes.get(row) ?? [])],
  );
  const run = (tx: TenantTransaction, step: ErasureStep) => {
    if ("pendingUserId" in step) return deletePendingUser(tx, step.pendingUserId);
    return "sequence" in step
      ? eraseChange(tx, person, step.sequence)
      : deleteContact(tx, person, step.deletedId);
  };
  await writeRows(tenant, steps, run);
  // Another request may have deleted or changed a contact meanwhile.
  const later = await findChanges(tenant, person, lastSequence);
  await writeRows(tenant, later.found, run);
  return count + later.found.length;
}

/**
 * Deletes a contact, unless another request has deleted it. The recorded deletion is erased in the transaction: the
 * next erasure finds the contact by it.
 */
async function deleteContact(tx: TenantTransaction, person: Person, id: number): Promise<void> {
  if (!(await contactStore.find(tx, id))) return;
  const lastSequence = await lastSequenceOf(tx);
  await contactStore.removeById(tx, id);
  await eraseChangesAfter(tx, person, lastSequence);
}
