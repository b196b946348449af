import { and, or, type SQL, sql } from "drizzle-orm";
import { either } from "./dialects.ts";
import { type Column, contains } from "./expressions.ts";

/** The condition that a text has a character beyond ASCII, which SQL does not fold as `src/core/folding.ts` does. */
export function isBeyondAscii(column: Column): SQL {
  return either({
    sqlite: sql`length(${column}) <> length(cast(${column} as blob))`,
    postgres: sql`length(${column}) <> octet_length(${column})`,
  });
}

/**
 * The condition that the folded text of a column contains, or equals, a folded text. `others` are the texts of the column
 * that match among those beyond ASCII, as a JSON array. The columns of PostgreSQL have the collation C.
 */
export function isFoldedMatch(
  column: Column,
  operator: "contains" | "ieq",
  { folded, others }: { folded: SQL<string>; others: SQL<string> },
): SQL | undefined {
  const lower = sql<string>`lower(${column})`;
  const isMatch = operator === "contains" ? contains(lower, folded) : sql`${lower} = ${folded}`;
  const isAscii = sql`not (${isBeyondAscii(column)})`;
  // A subquery, unlike an array, is hashed by PostgreSQL: there may be many texts.
  const isOther = either({
    sqlite: sql`${column} in (select value from json_each(${others}))`,
    postgres: sql`${column} in (select value from json_array_elements_text(cast(${others} as json)) as element (value))`,
  });
  return or(and(isAscii, isMatch), isOther);
}
