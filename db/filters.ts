import { type SQL, sql } from "drizzle-orm";
import { either } from "./dialects.ts";
import { type Column, input } from "./expressions.ts";

/** The left side of a comparison: a column, or an expression, which has no index. */
export type Filtered = Column | SQL;
export type FilteredType = "bigint" | "double precision" | "text";

function inputOf(name: string, type: FilteredType): SQL {
  return sql`cast(${input(name)} as ${sql.raw(type)})`;
}

/** The condition that a value is at least the input. */
export function isAtLeast(value: Filtered, type: FilteredType, name: string): SQL {
  return sql`${value} >= ${inputOf(name, type)}`;
}

/** The condition that a value is at most the input. */
export function isAtMost(value: Filtered, type: FilteredType, name: string): SQL {
  return sql`${value} <= ${inputOf(name, type)}`;
}

/** The condition that a value is an element of the input, a JSON array. */
export function isListed(value: Filtered, type: FilteredType, name: string): SQL {
  const json = inputOf(name, "text");
  return either({
    sqlite: sql`${value} in (select value from json_each(${json}))`,
    postgres: sql`${value} = any(array(select cast(value as ${sql.raw(type)}) from json_array_elements_text(cast(${json} as json)) as element (value)))`,
  });
}

/** The same condition, which is true for an empty array. */
export function isListedOrUnfiltered(value: Filtered, type: FilteredType, name: string): SQL {
  return sql`(${inputOf(name, "text")} = '[]' or ${isListed(value, type, name)})`;
}
