import { eq, sql } from "drizzle-orm";
import { allOf, type ColumnName, input, inputs, integerInput, typedInput } from "../../db/expressions.ts";
import {
  accountCounts,
  attributeNames,
  unmatchedIds,
  usageDays,
  usageSums,
  usageSumUsers,
} from "../../db/schema.ts";
import { insert, remove, type TenantStatement, type TenantTable, update } from "../core/tenant/statements.ts";
import type { TenantTransaction } from "../core/tenant/transaction.ts";

type Counter = {
  change: TenantStatement<unknown>;
  /** Removes a row whose number becomes 0. Absent where such a row stays. */
  removeEmpty?: TenantStatement<unknown>;
  /** Inserts a row with the number. Absent where a row has further values. */
  insertNew?: TenantStatement<unknown>;
};
type CounterPlan<K> = { key: readonly K[]; isRemovedAtZero?: boolean; added?: readonly K[] };

/** A stored number of a table. `added` are the columns of a new row besides its key and its number. */
function defineCounter<T extends TenantTable, K extends ColumnName<T> & keyof T>(
  name: string,
  table: T,
  number: K,
  { key, isRemovedAtZero = false, added }: CounterPlan<K>,
): Counter {
  // Safe: each is a column of the table.
  const columnOf = (column: K) => table[column] as TenantTable["organizationId"];
  const isRow = key.map((column) => eq(columnOf(column), typedInput(columnOf(column), input(column))));
  const sum = sql`${columnOf(number)} + ${integerInput(number)}`;
  const where = allOf(sql`1 = 1`, ...isRow);
  return {
    // Safe: a column and its value.
    change: update(`repairs.${name}.change`, { table, set: { [number]: sum } as never, where }),
    ...(isRemovedAtZero && {
      removeEmpty: remove(`repairs.${name}.remove`, { from: table, where: allOf(where, sql`${sum} <= 0`) }),
    }),
    ...(added && {
      insertNew: insert(`repairs.${name}.insert`, {
        into: table,
        // Safe: `added` has the columns without a default.
        values: inputs(table, ...key, number, ...added) as never,
      }),
    }),
  };
}

const ofDay = ["accountId", "day", "event"] as const;
const ofSum = ["day", "event"] as const;
const ofName = ["resource", "name", "type"] as const;

export const counters = {
  accountCounts: defineCounter("accountCounts", accountCounts, "count", {
    key: ["status", "tier"],
    added: [],
  }),
  pendingEvents: defineCounter("pendingEvents", unmatchedIds, "count", {
    key: ["externalId"],
    isRemovedAtZero: true,
    added: ["firstAt", "lastAt"],
  }),
  dayEvents: defineCounter("dayEvents", usageDays, "count", {
    key: ofDay,
    isRemovedAtZero: true,
    added: ["users", "firstUser", "firstAt", "lastAt"],
  }),
  dayUsers: defineCounter("dayUsers", usageDays, "users", { key: ofDay }),
  sumUserAccounts: defineCounter("sumUserAccounts", usageSumUsers, "accountCount", {
    key: [...ofSum, "userId"],
    isRemovedAtZero: true,
    added: [],
  }),
  sumEvents: defineCounter("sumEvents", usageSums, "count", {
    key: ofSum,
    isRemovedAtZero: true,
    added: ["users", "accountCount"],
  }),
  sumAccounts: defineCounter("sumAccounts", usageSums, "accountCount", { key: ofSum }),
  sumUsers: defineCounter("sumUsers", usageSums, "users", { key: ofSum }),
  attributeNames: defineCounter("attributeNames", attributeNames, "count", {
    key: ofName,
    isRemovedAtZero: true,
    added: [],
  }),
} as const;

/**
 * Adds to the number of a row, by its key and the number under their names. Without a row, inserts one with what
 * `readAdded` returns; undefined: there is nothing to insert. Resolves with whether a row changed.
 */
export async function addToCounter(
  tx: TenantTransaction,
  { change, removeEmpty, insertNew }: Counter,
  values: Parameters<TenantTransaction["run"]>[1],
  readAdded: () => Promise<typeof values | undefined> = async () => ({}),
): Promise<boolean> {
  if (removeEmpty && (await tx.count(removeEmpty, values)) > 0) return true;
  if ((await tx.count(change, values)) > 0) return true;
  const added = insertNew && (await readAdded());
  if (!insertNew || !added) return false;
  await tx.run(insertNew, { ...values, ...added });
  return true;
}
