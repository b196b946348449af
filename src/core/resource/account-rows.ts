import { eq, getTableName } from "drizzle-orm";
import { type Column, integerInput } from "../../../db/expressions.ts";
import { attributedResources } from "../attributes/attributes.ts";
import { storeAttributeValues } from "../attributes/values.ts";
import { Pauses } from "../pauses.ts";
import { remove, select, type TenantStatement, type TenantTable } from "../tenant/statements.ts";
import type { TenantTransaction } from "../tenant/transaction.ts";

/** Rows to read at once. With attributes, a row can have 100 KiB. */
const batchSize = 100;

/**
 * A function that deletes an account's rows of a table, unrecorded: the account's own change covers them. Reads run
 * between the rows.
 */
export function deleterOfAccountRows(
  table: TenantTable & { id: Column; accountId: Column; attributes?: Column },
): (tx: TenantTransaction, accountId: number) => Promise<void> {
  const name = getTableName(table);
  const attributed = attributedResources[name];
  const nextRows = select(`${name}.idsOfAccount`, {
    fields: { id: table.id, ...(table.attributes && { attributes: table.attributes }) },
    from: table,
    where: eq(table.accountId, integerInput("accountId")),
    paged: true,
    // Safe: `id` is an integer column, `attributes` a text.
  }) as TenantStatement<{ id: number; attributes?: string }>;
  // Row by row: for `id in (select …)` SQLite reads the whole organization at each batch.
  const deleteRow = remove(`${name}.deleteOfAccount`, {
    from: table,
    where: eq(table.id, integerInput("id")),
  });
  return async (tx, accountId) => {
    const pauses = new Pauses(tx);
    for (let isMore = true; isMore; ) {
      const rows = await tx.all(nextRows, { accountId, limit: batchSize, offset: 0 });
      for (const { id, attributes } of rows) {
        if (attributed !== undefined && attributes !== undefined)
          await storeAttributeValues(tx, attributed, [{ id, before: { attributes }, after: null }]);
        await tx.run(deleteRow, { id });
        await pauses.next();
      }
      isMore = rows.length === batchSize;
    }
  };
}
