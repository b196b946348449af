import { contactStore } from "../contacts/store.ts";
import { lastSequence } from "../core/changes/account-changes.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { eraseChange, eraseChangesAfter, findChanges } from "./changes.ts";
import { deletePendingUser } from "./links.ts";
import type { Person } from "./person.ts";
import { writeRows } from "./steps.ts";

type ErasureStep = (tx: TenantTransaction) => Promise<void>;

/**
 * Deletes the contacts and the pending traits of the person and removes its values from the change log, of what was
 * found last first: after an interruption, the earlier rows still link the rest. Returns the number of changes, the
 * deletions included.
 */
export async function eraseContacts(tenant: Tenant, person: Person, isDryRun: boolean): Promise<number> {
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
