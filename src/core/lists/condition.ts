import type { SQL } from "drizzle-orm";
import type { Values } from "../../../db/engine.ts";
import type { Column } from "../../../db/expressions.ts";

/** A condition of a request. Two conditions of a list with one shape differ in their values only. */
export type Condition = {
  shape: string;
  values: Values;
  /** On the table of the list, where `key` is the key of its rows, or the column of another table with this key. */
  sql: (key: Column) => SQL | undefined;
  /**
   * `unique`: each value matches at most one row. `narrow`: few rows match, and their index is used in every order.
   * `inOrder`: the index of every order has the column. `partial`: a partial index in every order has the condition.
   */
  use: "unique" | "narrow" | "inOrder" | "partial" | "search" | "other";
  /** The order of the index of a narrow condition, or of the index with the columns of a search. */
  order?: Column | undefined;
  /** Whether `sql` refers to `key` only. */
  isOnKey?: boolean;
  /** The column of a range, whose index can be read in its order. */
  rangeOf?: Column;
  /** The filter with these values. */
  filter?: string;
  listed?: readonly string[];
  /** Whether the values depend on the present day. */
  isOfDay?: boolean;
};
