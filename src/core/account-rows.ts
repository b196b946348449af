import { eq, getTableName } from "drizzle-orm";
import { type Column, integerInput } from "../../db/expressions.ts";
import type { TenantTransaction } from "./tenant.ts";
import { inSubquery, remove, type TenantTable } from "./tenant-statements.ts";

/** Rows that are deleted between two pauses: some milliseconds. */
const batchSize = 500;

/**
 * A function that deletes an account's rows of a table, unrecorded: the account's own change covers them. Reads run
 * between the batches.
 */
export function deleterOfAccountRows(
  table: TenantTable & { id: Column; accountId: Column },
): (tx: TenantTransaction, accountId: number) => Promise<void> {
  const ofAccount = eq(table.accountId, integerInput("accountId"));
  const deleteBatch = remove(`${getTableName(table)}.deleteByAccount`, {
    from: table,
    where: inSubquery({ from: table, key: table.id, where: ofAccount, limit: batchSize }),
  });
  return async (tx, accountId) => {
    while ((await tx.run(deleteBatch, { accountId })) === batchSize) await tx.pause();
  };
}
