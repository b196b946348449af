import { type SQL, sql } from "drizzle-orm";
import { integerSum } from "../../db/expressions.ts";

/** The sum of the integers of the rows that match the condition. */
export function sumIf(condition: SQL | undefined, value: SQL): SQL<number> {
  return sql<number>`coalesce(${integerSum(sql`case when ${condition} then ${value} end`)}, 0)`;
}

/** The smallest value of the rows that match the condition. */
export function minIf(condition: SQL | undefined, value: SQL): SQL<number | null> {
  return sql<number | null>`min(case when ${condition} then ${value} end)`;
}
