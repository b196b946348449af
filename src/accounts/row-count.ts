import { eq } from "drizzle-orm";
import { integerInput, textInput } from "../../db/expressions.ts";
import { accounts } from "../../db/schema.ts";
import { Problem } from "../core/errors.ts";
import type { RowKey } from "../core/resource/resource.ts";
import { countUpTo, select } from "../core/tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";
import { type SubResource, subResources } from "../resources.ts";

/** An operation of a batch deletes an account with at most this many sub-resources. */
const maxBatchedRows = 1_000;
/** All operations of a batch delete accounts with at most this many sub-resources together. */
const maxRowsOfBatch = 10_000;
const tooManyOfBatch =
  "The accounts that the batch deletes have more than 10,000 contacts, meetings and requests. Delete this one in another batch.";

const rowsOfAccount = Object.values<SubResource>(subResources).map(({ table }) => ({
  from: table,
  where: eq(table.accountId, accounts.id),
}));
const counted = { fields: { count: countUpTo(maxBatchedRows + 1, rowsOfAccount) }, from: accounts };
const byId = select("accounts.rowCount", { ...counted, where: eq(accounts.id, integerInput("key")) });
const byExternalId = select("accounts.rowCountByExternalId", {
  ...counted,
  where: eq(accounts.externalId, textInput("key")),
});

/** The number of sub-resources of an account, at most 1,001; 0 for an account that does not exist. */
export async function countRowsOfAccount(snapshot: TenantSnapshot, key: RowKey): Promise<number> {
  const statement = typeof key === "number" ? byId : byExternalId;
  return (await snapshot.first(statement, { key }))?.count ?? 0;
}

const deletedRows = "sub-resources of deleted accounts";

/**
 * Counts the sub-resources of an account that a batch deletes. Throws `too_many` for more than an operation, or all
 * operations of the batch, may delete: other writes would wait for each of the deletions.
 */
export async function countBatchedRows(tx: TenantTransaction, key: RowKey): Promise<void> {
  const count = await countRowsOfAccount(tx, key);
  if (count > maxBatchedRows) throw new Problem("too_many");
  // Safe: this function sets it.
  const total = count + ((tx.cache.get(deletedRows) ?? 0) as number);
  if (total > maxRowsOfBatch) throw new Problem("too_many", { detail: tooManyOfBatch });
  tx.cache.set(deletedRows, total);
}
