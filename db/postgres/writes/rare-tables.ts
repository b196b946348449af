import { getTableName } from "drizzle-orm";
import { pendingTraits, unmatchedIds } from "../../schema.ts";

/** Tables that most organizations have no rows in. The lock of an organization tells which of them it has rows in. */
const rareTables = [unmatchedIds, pendingTraits].map((table) => getTableName(table));

/** The table of a statement if it is one of these. */
export function rareTableOf(sql: string): string | undefined {
  return rareTables.find((name) => sql.includes(`"${name}"`));
}

/** Columns of a select from `locked (id)`: for each table, its name if the organization has rows in it, else null. */
export const usedRareTables = rareTables
  .map(
    (name) => `case when exists (select from ${name} where organization_id = locked.id) then '${name}' end`,
  )
  .join(", ");
