import { and, asc, count, desc, eq, gt, lt, not, type SQL } from "drizzle-orm";
import { compare, hasIndex, integerInput, withoutIndex, withoutIndexes } from "../../../db/expressions.ts";
import { attributeValues } from "../../../db/schema.ts";
import type { Row, SelectFields } from "../../../db/statements.ts";
import { type AnyList, conditionsOf, type OrderedRow } from "../lists/definition.ts";
import { isNarrow, isSearch } from "../lists/indexes.ts";
import { existsIn, inSubquery, select, type TenantStatement } from "../tenant/statements.ts";
import { ATTRIBUTE_IDS, boundOf, hasValue, isInList, isInRange, isOfAttribute } from "./conditions.ts";

const { rowId } = attributeValues;
const valueFilters = ["all", "range", "list"] as const;
/** Which values of the attribute of an order match: all, a range of them, or a list. */
export type ValueFilter = (typeof valueFilters)[number];
type Keys = TenantStatement<{ key: number; value: string | number | null }>;

/** The statements of an order by one attribute, with the inputs `resource` and `name`, and those of the filters. */
export type OrderStatements<R> = {
  /** Rows with the attribute: pages of their keys, all and after `cursorValue` and `cursorKey`, and their number. */
  valued: Keys;
  within: Keys;
  beyond: Keys;
  valuedCount: TenantStatement<{ count: number }>;
  /** Rows without it, by id: all, and after `cursorKey`. */
  missing: TenantStatement<OrderedRow<R>>;
  missingAfter: TenantStatement<OrderedRow<R>>;
};

/**
 * Returns a function that builds the statements of a variant, `column/values/order/filter+filter`, where the values are
 * a `ValueFilter`. It throws for an unknown one.
 */
export function orderStatements<F extends SelectFields>(
  definition: AnyList & { fields: F },
  family: string,
): (variant: string) => OrderStatements<Row<F>> {
  const { from, key, fields } = definition;
  const rowFields = { ...fields, orderKey: key };
  const allRows = select(`${family}.scanned`, { fields: { key }, from, paged: true }).statement;

  return (variant) => {
    const [column = "", values, order, chosen = ""] = variant.split("/");
    const valueFilter = valueFilters.find((name) => name === values);
    if ((column !== "text" && column !== "number") || (order !== "asc" && order !== "desc") || !valueFilter)
      throw new Error(`${family} has no variant ${variant}`);
    const filters = chosen === "" ? [] : chosen.split("+");
    const conditions = and(...conditionsOf(definition, filters));
    const value = attributeValues[column];
    const isFew = filters.includes(ATTRIBUTE_IDS) || isNarrow(definition, filters) || isSearch(filters);
    const rowMatches = conditions && matchOf(conditions, isFew);
    const isDescending = order === "desc";
    const [direction, after, compareKey] = isDescending ? [desc, "<" as const, lt] : [asc, ">" as const, gt];
    const nameOf = (statement: string) => `${family}/${statement}/${variant}`;
    // Without a condition of their index, SQLite reads the values of few rows by their primary key.
    const ofOrder = and(isOfAttribute, isFew ? undefined : hasValue[column]);
    const rangeOf = (range: SQL | undefined) => (isFew && range ? withoutIndexes(range) : range);
    const indexed = [isOfAttribute, hasValue[column]];
    const inRange = valueFilter === "all" ? undefined : isInRange(column, "order");
    const inList = valueFilter === "list" ? withoutIndexes(isInList(column, "order")) : undefined;
    const rest = and(inList, rowMatches);
    const rowsOfFilters = filters.includes(ATTRIBUTE_IDS) ? undefined : allRows;

    /** The entries of the index that a statement reads for its range, whether they match the rest or not. */
    const entriesOf = (statement: string, range: SQL | undefined) =>
      isFew
        ? rowsOfFilters
        : select(nameOf(`${statement}Entries`), {
            fields: { key: rowId },
            from: attributeValues,
            where: and(...indexed, range),
            paged: true,
          }).statement;

    const keys = (statement: string, range: SQL | undefined) =>
      select(nameOf(statement), {
        fields: { key: rowId, value },
        from: attributeValues,
        where: and(ofOrder, rangeOf(range), rest),
        orderBy: [direction(isFew ? withoutIndex(value) : value), direction(rowId)],
        paged: true,
        scanned: rest && entriesOf(statement, range),
        sliceBy: isFew
          ? undefined
          : {
              where: indexed,
              matching: and(range, rest),
              by: [value, rowId],
              bounds: range,
              order: { columns: [value, rowId], isDescending },
            },
      }) as unknown as Keys;
    const isMissing = not(existsIn({ from: attributeValues, where: and(isOfAttribute, eq(rowId, key)) }));
    const missing = (statement: string, position?: SQL) =>
      select(nameOf(statement), {
        fields: rowFields,
        from,
        where: and(conditions, withoutIndexes(isMissing), position),
        orderBy: [direction(key)],
        paged: true,
        scanned: rowsOfFilters,
        sliceBy: hasIndex(from, key)
          ? { where: [], by: [key], bounds: position, order: { columns: [key], isDescending } }
          : undefined,
      }) as unknown as TenantStatement<OrderedRow<Row<F>>>;
    // The position is in the range. SQLite would use one of two conditions on the same end.
    const farBound = inRange && boundOf(column, "order", isDescending ? "low" : "high");
    return {
      valued: keys("valued", inRange),
      within: keys(
        "within",
        and(compare(value, "=", "cursorValue"), compareKey(rowId, integerInput("cursorKey"))),
      ),
      beyond: keys("beyond", and(compare(value, after, "cursorValue"), farBound)),
      valuedCount: select(nameOf("valuedCount"), {
        fields: { count: count() },
        from: attributeValues,
        where: and(ofOrder, rangeOf(inRange), rest),
        scanned: entriesOf("valuedCount", inRange),
        isIndexOnly: !rowMatches,
        isTotal: true,
        sliceBy: isFew
          ? undefined
          : { where: indexed, matching: and(inRange, rest), by: [value, rowId], bounds: inRange },
      }),
      missing: missing("missing"),
      missingAfter: missing("missingAfter", compareKey(key, integerInput("cursorKey"))),
    };
  };

  /** That the row of a value matches. Few rows are found first, and their values by the primary key. */
  function matchOf(conditions: SQL, isFew: boolean): SQL {
    if (isFew) return inSubquery({ from, key, where: conditions, column: rowId });
    return withoutIndexes(existsIn({ from, where: and(eq(key, rowId), conditions) }));
  }
}
