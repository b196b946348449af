import type { SQL } from "drizzle-orm";
import type { Values } from "../../../db/engine.ts";
import type { TenantStatement } from "../tenant/statements.ts";
import type { Condition } from "./condition.ts";

/** A stored number of the rows of a list, for requests without other filters than `filters`. */
export type StoredTotal = {
  filters: readonly string[];
  /** The number as a subquery, and as a statement. Their inputs: `countedValues`. */
  subquery: SQL<number>;
  statement: TenantStatement<{ count: number }>;
};

/** The possible values of a filter, by its name. A row has one value. */
type ListedValues = Readonly<Record<string, readonly string[]>>;

/** For each filter, the input `counted_NAME`: its possible values as a JSON list, or null for any. */
export function countedValues({ filters }: StoredTotal, listed: ListedValues): Values {
  const textOf = (name: string) => (listed[name] ? JSON.stringify(listed[name]) : null);
  return Object.fromEntries(filters.map((name) => [`counted_${name}`, textOf(name)]));
}

/** The inputs of the stored total for these conditions; undefined if it counts other rows. */
export function countedBy(total: StoredTotal, conditions: readonly Condition[]): Values | undefined {
  const values: Record<string, readonly string[]> = {};
  for (const { filter, listed } of conditions) {
    if (filter === undefined || !listed || !total.filters.includes(filter)) return undefined;
    values[filter] = listed;
  }
  return countedValues(total, values);
}
