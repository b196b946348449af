import { type SQL, sql } from "drizzle-orm";

/** The sum of the values of the rows that match the condition. */
export function sumIf(condition: SQL | undefined, value: SQL): SQL<number> {
  return sql<number>`coalesce(sum(case when ${condition} then ${value} end), 0)`;
}

/** The smallest value of the rows that match the condition. */
export function minIf(condition: SQL | undefined, value: SQL): SQL<number | null> {
  return sql<number | null>`min(case when ${condition} then ${value} end)`;
}
