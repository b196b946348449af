import { and, asc, count, desc, type SQL, sql } from "drizzle-orm";
import { type Column, compare, integerInput, type Table, withoutIndex } from "./expressions.ts";
import { builder } from "./insert-plan.ts";
import {
  defineFamily,
  type Row,
  type SelectFields,
  type SelectPlan,
  type Slices,
  type Statement,
  select,
  statementNamed,
} from "./statements.ts";

type PageOrder = { columns: readonly Column[]; isDescending: boolean };

/** The ranges of an index in which a statement reads its rows. */
export type SlicePlan = {
  /** The conditions on the columns that the index begins with. All rows of the statement match. */
  where: readonly (SQL | undefined)[];
  /** All conditions of the statement, if its own `where` is not to be used. */
  matching?: SQL | undefined;
  /** The columns that follow in the index, one or two, not null. They identify a row. */
  by: readonly [Column] | readonly [Column, Column];
  /** A condition on the columns of `by`: ranges outside it are not read. */
  bounds?: SQL | undefined;
  /** The order of a page. Without it, the statement returns a count. */
  order?: PageOrder;
  /**
   * For a page in another order than that of the index: returns the row of the input `key`, the last column of the
   * order. Without it, the page has that column only.
   */
  rowByKey?: Statement<unknown>;
};

// Defining the statement defines its slices.
defineFamily("slices", (variant) => void statementNamed(variant.slice(variant.indexOf("/") + 1)));

/** `select` for a count or a page of many rows, which an engine can run in parts. */
export function selectInSlices<F extends SelectFields>(
  name: string,
  plan: SelectPlan<F>,
  slicePlan: SlicePlan,
): Statement<Row<F>> {
  return select(name, { ...plan, slices: slicesOf(name, plan, slicePlan) });
}

function slicesOf(
  name: string,
  { fields, from, where }: SelectPlan<SelectFields>,
  { where: indexed, matching = where, by, bounds, order, rowByKey }: SlicePlan,
): Slices {
  const isInOrder = order?.columns.every((column, i) => column === by[i]) ?? false;
  const isDescending = order?.isDescending ?? false;
  const isReversed = isInOrder && isDescending;
  const inOrder = by.map((column) => (isReversed ? desc(column) : asc(column)));
  const inReverse = by.map((column) => (isReversed ? asc(column) : desc(column)));
  const [first, second] = by.length === 1 ? [undefined, by[0]] : by;
  const isValue = first && compare(first, "=", "value");
  const rowsPlan = order && (isInOrder ? { fields, orderBy: inOrder } : sortedKeys(order));
  const define = (part: string, plan: SelectPlan<SelectFields>) => select(`slices/${part}/${name}`, plan);
  const positions = (part: string, orderBy: SQL[], ...conditions: (SQL | undefined)[]) =>
    define(part, { fields: fieldsOf(by), from, where: and(...indexed, ...conditions), orderBy, paged: true });
  // `case` stops SQLite from choosing an index of another condition: it would read all rows of it in every range.
  const isMatching = matching && sql`case when ${matching} then 1 end`;
  const rangeOf = (kind: string, ...range: (SQL | undefined)[]): Slices["keyRange"] => {
    const where = and(...indexed, ...range, isMatching);
    return {
      count: define(`count${kind}`, { fields: { count: count() }, from, where }),
      rows: rowsPlan && define(`rows${kind}`, { ...rowsPlan, from, where, paged: true }),
    };
  };
  return {
    first: positions("first", inOrder, bounds),
    last: positions("last", inReverse, bounds),
    firstWithin: positions("firstWithin", inOrder, isValue),
    lastWithin: positions("lastWithin", inReverse, isValue),
    within: positions("within", inOrder, isValue, compare(second, isReversed ? "<=" : ">=", "start")),
    after: first && positions("after", inOrder, compare(first, isReversed ? "<" : ">", "value")),
    // Without `unlikely`, SQLite chose the index of the keys for some statements, and read the rows of all values.
    keyRange: rangeOf(
      "KeyRange",
      isValue && sql`unlikely(${isValue})`,
      compare(second, ">=", "lower"),
      compare(second, "<=", "upper"),
    ),
    valueRange: first && rangeOf("ValueRange", compare(first, ">", "lower"), compare(first, "<", "upper")),
    shortPage: isInOrder
      ? define("shortPage", shortPagePlan(fields, { from, indexed, by, bounds, isReversed, isMatching }))
      : undefined,
    rowByKey,
    isInOrder,
    isDescending,
  };
}

type RangeInOrder = Pick<SlicePlan, "by" | "bounds"> & {
  from: Table;
  indexed: SlicePlan["where"];
  isReversed: boolean;
  isMatching: SQL | undefined;
};

/**
 * Reads the first `entryCount` entries of a range, with whether each matches, and then the rows of those that match. The
 * index can have what the conditions compare: then no row is read for an entry that does not match.
 */
function shortPagePlan(
  fields: SelectFields,
  { from, indexed, by, bounds, isReversed, isMatching }: RangeInOrder,
): SelectPlan<SelectFields> {
  const direction = isReversed ? desc : asc;
  const entryColumns = by.map((_, i) => sql.raw(`entries.entry${i}`));
  const outerQuery = () => {
    const named = by.map((column, i) => [`entry${i}`, sql`${column}`.as(`entry${i}`)] as const);
    return (
      builder
        .select({ ...Object.fromEntries(named), ...(isMatching && { is_match: isMatching.as("is_match") }) })
        .from(from)
        .where(and(...indexed, bounds))
        .orderBy(...by.map((column) => direction(column)))
        // Safe: as in `selectQuery`.
        .limit(integerInput("entryCount") as never)
        .as("entries")
    );
  };
  return {
    fields,
    from,
    outerQuery,
    where: and(
      ...indexed,
      isMatching && sql`entries.is_match = 1`,
      ...by.map((column, i) => sql`${column} = ${entryColumns[i]}`),
    ),
    orderBy: entryColumns.map((column) => direction(column)),
    paged: true,
  };
}

/** The columns of an order, sorted without an index of them. */
function sortedKeys({ columns, isDescending }: PageOrder): { fields: SelectFields; orderBy: SQL[] } {
  const direction = isDescending ? desc : asc;
  return { fields: fieldsOf(columns), orderBy: columns.map((column) => direction(withoutIndex(column))) };
}

function fieldsOf(columns: readonly Column[]): Record<string, Column> {
  return Object.fromEntries(columns.map((column, i) => [`column${i}`, column]));
}
