import { getTableName } from "drizzle-orm";
import { pendingTraits, unmatchedIds } from "../../schema.ts";

/** Tables in which most organizations have no rows. The lock of an organization returns their names where it has rows. */
const rareTables = [unmatchedIds, pendingTraits].map((table) => getTableName(table));

/** The rare table that a statement reads or changes. */
export function rareTableOf(sql: string): string | undefined {
  return rareTables.find((name) => sql.includes(`"${name}"`));
}

/** Columns of a select from `locked (id)`: for each table, its name if the organization has rows in it, else null. */
export const usedRareTables = rareTables
  .map(
    (name) => `case when exists (select from ${name} where organization_id = locked.id) then '${name}' end`,
  )
  .join(", ");
