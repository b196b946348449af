import { and, asc, count, desc, type SQL, sql } from "drizzle-orm";
import { type Column, compare, withoutIndex } from "./expressions.ts";
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

/** The ranges of an index in which a statement reads its rows. */
export type SlicePlan = {
  /** The conditions on the columns that the index begins with. All rows of the statement match. */
  where: readonly (SQL | undefined)[];
  /** All conditions of the statement, if its own `where` is not to be used. */
  matching?: SQL | undefined;
  /** The columns that follow in the index, one or two. They identify a row. */
  by: readonly [Column] | readonly [Column, Column];
  /** A condition on the columns of `by`: ranges outside it are not read. */
  bounds?: SQL | undefined;
  /** The order of a page. Without it, the statement returns a count. */
  order?: { columns: readonly Column[]; isDescending: boolean };
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
  const isReversed = isInOrder && order?.isDescending;
  const [forward, backward] = isReversed ? [desc, asc] : [asc, desc];
  const [first, second] = by.length === 1 ? [undefined, by[0]] : by;
  const isValue = first && compare(first, "=", "value");
  const [inOrder, inReverse] = [forward, backward].map((direction) => by.map((column) => direction(column)));
  const define = (part: string, plan: SelectPlan<SelectFields>) => select(`slices/${part}/${name}`, plan);
  const positions = (part: string, orderBy: SQL[] | undefined, ...conditions: (SQL | undefined)[]) =>
    define(part, {
      fields: fieldsOf(by),
      from,
      where: and(...indexed, ...conditions),
      orderBy: orderBy ?? [],
      paged: true,
    });
  return {
    first: positions("first", inOrder, bounds),
    last: positions("last", inReverse, bounds),
    firstWithin: positions("firstWithin", inOrder, isValue),
    lastWithin: positions("lastWithin", inReverse, isValue),
    within: positions("within", inOrder, isValue, compare(second, isReversed ? "<=" : ">=", "start")),
    after: first && positions("after", inOrder, compare(first, isReversed ? "<" : ">", "value")),
    keyRange: rangeOf("KeyRange", [isValue, compare(second, ">=", "lower"), compare(second, "<=", "upper")]),
    valueRange: first && rangeOf("ValueRange", [compare(first, ">", "lower"), compare(first, "<", "upper")]),
    rowByKey,
    isInOrder,
    isDescending: order?.isDescending ?? false,
  };

  function rangeOf(kind: string, range: (SQL | undefined)[]): Slices["keyRange"] {
    // `case` stops SQLite from choosing an index of another condition: it would read all rows of it in every range.
    const where = and(...indexed, ...range, matching && sql`case when ${matching} then 1 end`);
    return {
      count: define(`count${kind}`, { fields: { count: count() }, from, where }),
      rows: order && define(`rows${kind}`, { ...rowsPlan(), from, where, paged: true }),
    };
  }

  function rowsPlan() {
    const { columns = [], isDescending } = order ?? {};
    const direction = isDescending ? desc : asc;
    const sorted = columns.map((column) => direction(isInOrder ? column : withoutIndex(column)));
    return { fields: isInOrder ? fields : fieldsOf(columns), orderBy: sorted };
  }
}

function fieldsOf(columns: readonly Column[]): Record<string, Column> {
  return Object.fromEntries(columns.map((column, i) => [`column${i}`, column]));
}
