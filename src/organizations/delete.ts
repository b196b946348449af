import { eq, isNotNull } from "drizzle-orm";
import type { Engine, Transaction } from "../../db/engine.ts";
import { EngineBusy, EngineStopping, EraseBlocked, isBusy, isStorageFailure } from "../../db/errors.ts";
import { inputs, integerInput } from "../../db/expressions.ts";
import { apiKeys, organizations } from "../../db/schema.ts";
import { remove, update } from "../../db/statements.ts";
import { retryMilliseconds } from "../../db/timer.ts";
import type { DueCondition } from "../core/due-jobs.ts";
import { maxBlockedMilliseconds } from "../core/file-erasure.ts";
import { writeBatchSize } from "../core/pauses.ts";
import { OperatorError } from "../core/settings/operator-error.ts";
import type { DeleteBatch } from "./delete-batches.ts";

const markDeleted = update("organizations.markDeleted", {
  table: organizations,
  set: inputs(organizations, "name", "foldedName", "deletedAt"),
  where: eq(organizations.id, integerInput("id")),
});
const deleteKeys = remove("organizations.deleteKeys", {
  from: apiKeys,
  where: eq(apiKeys.organizationId, integerInput("organizationId")),
});
const deleteOrganizationRow = remove("organizations.deleteRow", {
  from: organizations,
  where: eq(organizations.id, integerInput("id")),
});

/**
 * Deletes an organization and all its rows in steps, which the scheduler continues after a restart. From the first step
 * on it is hidden, its keys are invalid and its name is free. Resolves with false when another program prevents the erasure
 * of the file. Throws OperatorError when the database is locked or failing, or the engine closes, before the last step.
 */
export async function deleteOrganization(engine: Engine, id: number): Promise<boolean> {
  await engine.write(id, async (tx) => {
    // No organization can have a name of digits.
    await tx.run(markDeleted, { id, name: String(id), foldedName: String(id), deletedAt: tx.now });
    await tx.run(deleteKeys, { organizationId: id });
  });
  const runStep = createOrganizationDeleter(engine, maxBlockedMilliseconds);
  try {
    while (await retryWhileQueueIsFull(() => runStep(id)));
    return true;
  } catch (error) {
    if (error instanceof EraseBlocked) return false;
    throw error;
  }
}

async function retryWhileQueueIsFull<T>(run: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (error instanceof EngineStopping || !(error instanceof EngineBusy)) throw unfinishedDeletion(error);
      await Bun.sleep(retryMilliseconds);
    }
  }
}

/** The error of a command whose deletion continues later; any other error is returned as it is. */
function unfinishedDeletion(error: unknown): unknown {
  if (!isBusy(error) && !isStorageFailure(error)) return error;
  return new OperatorError(
    isBusy(error) ? "database_busy" : "database_failed",
    "The deletion has begun but is not complete. The server completes it, now or after its next start.",
  );
}

export const organizationDeletionsDue: DueCondition = { isDue: isNotNull(organizations.deletedAt) };

/**
 * Returns a function that runs one step of the deletion of an organization that is marked as deleted, and resolves
 * with whether there is more: deletes one batch of its rows, then erases what they left, then deletes its own row.
 * Throws EraseBlocked when another program has prevented the erasure for `maxBlockedMilliseconds`.
 */
export function createOrganizationDeleter(
  engine: Engine,
  maxBlockedMilliseconds = 0,
): (id: number) => Promise<boolean> {
  /** Of the organizations whose rows are deleted. */
  const erasures = new Map<number, () => Promise<boolean>>();
  return async (id) => {
    const { batches } = await import("./delete-batches.ts");
    const erasePart = erasures.get(id);
    if (erasePart && (await erasePart())) return true;
    const hasMore = await engine.write(id, (tx) => deleteBatch(tx, id, batches, erasePart !== undefined), {
      isBulk: true,
    });
    if (erasePart) erasures.delete(id);
    else if (!hasMore) erasures.set(id, engine.eraseDeleted(maxBlockedMilliseconds));
    return hasMore || !erasePart;
  };
}

/** Deletes one batch of the organization's rows or, if there is none, its own row. Returns whether there was one. */
async function deleteBatch(
  tx: Transaction,
  organizationId: number,
  batches: readonly DeleteBatch[],
  isErased: boolean,
): Promise<boolean> {
  for (const { keys, deleteRow } of batches) {
    const rows = await tx.all(keys, { organizationId, limit: writeBatchSize, offset: 0 });
    for (const key of rows) await tx.run(deleteRow, { ...key, organizationId });
    if (rows.length > 0) return true;
  }
  if (isErased) await tx.run(deleteOrganizationRow, { id: organizationId });
  return false;
}
