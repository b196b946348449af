import { eq, getTableName, ne, sql } from "drizzle-orm";
import type { Values } from "../../../db/engine.ts";
import { Pauses } from "../../../db/event-loop.ts";
import {
  allOf,
  type Column,
  integerInput,
  isInJson,
  textInput,
  withoutPostgresIndex,
} from "../../../db/expressions.ts";
import { attributedResources, NO_ATTRIBUTES } from "../attributes/attributes.ts";
import { storeAttributeValues } from "../attributes/values.ts";
import { maxScannedRows, writeBatchSize } from "../pauses.ts";
import { remove, select, type TenantStatement, type TenantTable } from "../tenant/statements.ts";
import type { TenantTransaction } from "../tenant/transaction.ts";

/**
 * A function that deletes an account's rows of a table, unrecorded: the account's own change covers them. Reads run
 * between parts of the rows.
 */
export function deleterOfAccountRows(
  table: TenantTable & { id: Column; accountId: Column; attributes?: Column },
): (tx: TenantTransaction, accountId: number) => Promise<void> {
  const name = getTableName(table);
  const isOfAccount = eq(table.accountId, integerInput("accountId"));
  const isInIds = isInJson(table.id, textInput("ids"));
  const nextIds = select(`${name}.idsOfAccount`, {
    fields: { id: table.id },
    from: table,
    where: isOfAccount,
    paged: true,
  }) as TenantStatement<{ id: number }>;
  const deleteRows = remove(`${name}.deleteOfAccount`, { from: table, where: isInIds, isByIds: true });
  const resource = attributedResources[name];
  const attributed =
    table.attributes &&
    // Safe: `id` is an integer column, `attributes` a text.
    (select(`${name}.attributesOfAccount`, {
      fields: { id: table.id, attributes: table.attributes },
      from: table,
      isByIds: true,
      where: allOf(
        withoutPostgresIndex(isOfAccount),
        isInIds,
        ne(table.attributes, sql.raw(`'${NO_ATTRIBUTES}'`)),
      ),
    }) as TenantStatement<{ id: number; attributes: string }>);

  async function deleteAttributes(tx: TenantTransaction, values: Values, pauses: Pauses): Promise<void> {
    if (!resource || !attributed) return;
    for (const row of await tx.all(attributed, values)) {
      await storeAttributeValues(tx, resource, { id: row.id, before: row, after: null });
      await pauses.next();
    }
  }

  return async (tx, accountId) => {
    const pauses = new Pauses(tx);
    for (let isMore = true; isMore; ) {
      // Few pages: PostgreSQL reads all deleted rows again at each one.
      const page = await tx.all(nextIds, { accountId, limit: maxScannedRows, offset: 0 });
      for (let from = 0; from < page.length; from += writeBatchSize) {
        const ids = JSON.stringify(page.slice(from, from + writeBatchSize).map(({ id }) => id));
        await deleteAttributes(tx, { accountId, ids }, pauses);
        await tx.run(deleteRows, { ids });
        await pauses.next();
      }
      isMore = page.length === maxScannedRows;
    }
  };
}
