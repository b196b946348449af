import { eq, getTableName } from "drizzle-orm";
import { allOf, type Column, input, integerInput, typedInput } from "../../db/expressions.ts";
import { remove, select } from "../../db/statements.ts";
import { tenantTables } from "../../db/tables.ts";

/**
 * The statements that delete the rows of an organization. Imported by the first deletion: the start of the server does not
 * wait for them. Row by row: for `id in (select …)` SQLite reads the whole organization at each batch.
 */
export const batches = tenantTables.map(({ table, key }) => {
  const name = getTableName(table);
  const isOfOrganization = eq(table.organizationId, integerInput("organizationId"));
  const fields: Record<string, Column> = Object.fromEntries(key.map((column) => [column.name, column]));
  const isRow = key.map((column) => eq(column, typedInput(column, input(column.name))));
  return {
    keys: select(`organizations.keys.${name}`, { fields, from: table, where: isOfOrganization, paged: true }),
    deleteRow: remove(`organizations.delete.${name}`, {
      from: table,
      where: allOf(isOfOrganization, ...isRow),
      key: key.map((column) => column.name),
    }),
  };
});
export type DeleteBatch = (typeof batches)[number];
