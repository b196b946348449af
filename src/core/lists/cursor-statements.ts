import { and, asc, desc, eq } from "drizzle-orm";
import { compare, integerInput, withoutIndex, withoutIndexes } from "../../../db/expressions.ts";
import type { Row, SelectFields, Statement } from "../../../db/statements.ts";
import { select, type TenantStatement } from "../tenant/statements.ts";
import {
  conditionsOf,
  type ListDefinition,
  type ListVariant,
  type OrderedRow,
  rangeName,
} from "./definition.ts";
import { boundOf } from "./fields.ts";
import { findRange, hasOrderedIndex, indexRange, isRangeInOrder } from "./indexes.ts";

/**
 * The statements that read the rows after a position, the inputs `cursorValue` and `cursorKey`: those with the same
 * sort value, then those after it. SQLite does not compare two columns with an index whose second column is the rowid.
 */
export type CursorStatements<R> = {
  within: TenantStatement<R>;
  beyond: TenantStatement<R>;
};

/** Builds the statements of a variant. Where an index has the order, their cost does not depend on the position. */
export function cursorStatements<F extends SelectFields, Sort extends string, Filter extends string>(
  definition: ListDefinition<F, Sort, Filter>,
  variant: ListVariant<Sort, Filter>,
  scanned: Statement<unknown> | undefined,
): CursorStatements<OrderedRow<Row<F>>> {
  const { from, key } = definition;
  const { sortBy, sortOrder, filters } = variant;
  const column = definition.sortBy[sortBy];
  const isInOrder = hasOrderedIndex(definition, variant);
  const { where: indexed, by } = indexRange(definition, variant, false);
  const ranges = { where: indexed, by: isInOrder ? ([column, key] as const) : by };
  const range = isInOrder ? findRange(definition, filters) : undefined;
  const [direction, after] = sortOrder === "asc" ? ([asc, ">"] as const) : ([desc, "<"] as const);
  const isSame = compare(column, "=", "cursorValue");
  const positions = {
    within: and(isSame, compare(key, after, "cursorKey")),
    // The other end of a range is before the position: SQLite would use one of the two conditions.
    beyond: and(
      compare(column, after, "cursorValue"),
      range && boundOf(range, sortOrder === "asc" ? "high" : "low"),
    ),
  };
  const fields = { ...definition.fields, orderValue: column, orderKey: key };
  const order = { columns: [column, key], isDescending: sortOrder === "desc" };
  const byKey = { fields, from, where: eq(key, integerInput("key")) };
  const build = (name: "within" | "beyond") => {
    const position = positions[name];
    const conditions = conditionsOf(
      definition,
      filters.filter((filter) => !range || filter !== rangeName(range.name)),
    );
    const where = and(...conditions, isInOrder ? position : withoutIndexes(position));
    const isIndexOrder = isInOrder && isRangeInOrder(definition, variant);
    const nameOf = (statement: string) => `${definition.name}/${statement}/${variant.name}`;
    const rowByKey = isInOrder ? undefined : select(nameOf(`${name}ByKey`), byKey).statement;
    const bounds = isInOrder ? position : undefined;
    // Safe: `fields` are the definition's fields and the two columns of the order.
    return select(nameOf(name), {
      fields,
      from,
      where,
      orderBy: [direction(isInOrder ? column : withoutIndex(column)), direction(key)],
      paged: true,
      scanned: isIndexOrder ? undefined : scanned,
      sliceBy: scanned && { ...ranges, matching: where, bounds, order, ...(rowByKey && { rowByKey }) },
    }) as unknown as TenantStatement<OrderedRow<Row<F>>>;
  };
  return { within: build("within"), beyond: build("beyond") };
}
