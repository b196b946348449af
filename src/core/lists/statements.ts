import { and, asc, count, desc, eq } from "drizzle-orm";
import { hasIndex, integerInput, isAfter, textInput, withoutIndex } from "../../../db/expressions.ts";
import type { Row, SelectFields, Statement } from "../../../db/statements.ts";
import { ATTRIBUTE_IDS, isAttributeCondition } from "../attributes/conditions.ts";
import { inSubquery, select, type TenantStatement } from "../tenant/statements.ts";
import { type CursorStatements, cursorStatements } from "./cursor-statements.ts";
import {
  conditionsOf,
  FIELDS,
  LITERAL,
  type ListDefinition,
  type ListVariant,
  type OrderedRow,
  parseFieldCondition,
} from "./definition.ts";
import {
  indexedConditions,
  indexRange,
  isRangeInOrder,
  isSearch,
  isSortedLast,
  isUnique,
} from "./indexes.ts";

/** The statements of one combination of order and filters. */
export type ListStatements<R> = CursorStatements<OrderedRow<R>> & {
  page: TenantStatement<R>;
  /** `page` with the columns of a cursor, which take a tenth of the time of a list. */
  positionedPage: TenantStatement<OrderedRow<R>>;
  /** For a search with many matches: reads rows in their order until the page is complete, not the matches. */
  pageInSortOrder: TenantStatement<R> | undefined;
  keys: TenantStatement<{ key: number }>;
  byKey: TenantStatement<R>;
  countAll: TenantStatement<{ count: number }>;
  countAfter: TenantStatement<{ count: number }> | undefined;
};

/** Throws for a part of the name that the list does not have. */
function parseVariant<F extends SelectFields, Sort extends string, Filter extends string>(
  { name: list, sortBy, filters, literal, filterFields, attributes }: ListDefinition<F, Sort, Filter>,
  name: string,
): ListVariant<Sort, Filter> {
  const [column = "", sortOrder, chosen = ""] = name.split("/");
  const chosenFilters = chosen === "" ? [] : chosen.split("+");
  const isKnown =
    Object.hasOwn(sortBy, column) &&
    (sortOrder === "asc" || sortOrder === "desc") &&
    chosenFilters.every(
      (filter) =>
        (filter === LITERAL && literal) ||
        (filter === FIELDS && filterFields) ||
        (attributes && isAttributeCondition(filter)) ||
        parseFieldCondition(filterFields ?? {}, filter) ||
        Object.hasOwn(filters, filter),
    );
  if (!isKnown) throw new Error(`${list} has no variant ${name}`);
  // Safe: checked above.
  return { name, sortBy: column as Sort, sortOrder, filters: chosenFilters as Filter[] };
}

/**
 * `build` builds the statements of a variant, and throws for an unknown one. `scanOf` returns the statement of the keys
 * that a filter with an index matches.
 */
export function listStatements<F extends SelectFields, Sort extends string, Filter extends string>(
  definition: ListDefinition<F, Sort, Filter>,
): {
  build: (variantName: string) => ListStatements<Row<F>>;
  scanOf: (filter: string) => TenantStatement<unknown> | undefined;
} {
  const { name, from, key } = definition;
  // Safe: the names of the definition's filters.
  const indexed = Object.keys(definition.indexed ?? {}) as Filter[];
  const conditions = indexedConditions(definition);
  const scans = new Map<string | undefined, TenantStatement<unknown>>();
  for (const filter of [undefined, ...indexed]) defineScan(`.scanned${filter ? `.${filter}` : ""}`, filter);
  return { build, scanOf };

  function defineScan(suffix: string, filter: Filter | undefined): TenantStatement<unknown> {
    const where = and(...conditionsOf(definition, filter ? [filter] : []));
    const scan = select(name + suffix, { fields: { key }, from, where, paged: true });
    scans.set(filter, scan);
    return scan;
  }

  /** The statements of ranges and lists are built at first use. */
  function scanOf(filter: string): TenantStatement<unknown> | undefined {
    // Safe: the name of a condition of the definition.
    const build = () =>
      conditions.includes(filter) ? defineScan(`/scanned/${filter}`, filter as Filter) : undefined;
    return scans.get(filter) ?? build();
  }

  function build(variantName: string): ListStatements<Row<F>> {
    const variant = parseVariant(definition, variantName);
    const { filters } = variant;
    const names: readonly string[] = filters;
    const isList = (name: string) =>
      parseFieldCondition(definition.filterFields ?? {}, name)?.kind === "list";
    const isFew = isUnique(definition, names) || names.includes(ATTRIBUTE_IDS) || names.some(isList);
    const index = [...indexed, ...conditions].find((name) => names.includes(name));
    const scan = index === undefined ? scans.get(undefined) : scanOf(index);
    const scanned = isFew ? undefined : scan?.statement;
    return {
      ...pageStatements(definition, variant, scanned),
      ...countStatements(definition, variant, scanned),
      ...cursorStatements(definition, variant, scanned),
    };
  }
}

function pageStatements<F extends SelectFields, Sort extends string, Filter extends string>(
  definition: ListDefinition<F, Sort, Filter>,
  variant: ListVariant<Sort, Filter>,
  scanned: Statement<unknown> | undefined,
): Pick<ListStatements<Row<F>>, "page" | "positionedPage" | "pageInSortOrder" | "keys" | "byKey"> {
  const { from, key, searchColumn, filterFirst } = definition;
  const { sortBy, sortOrder, filters } = variant;
  const column = definition.sortBy[sortBy];
  const where = and(...conditionsOf(definition, filters));
  const ranges = indexRange(definition, variant, false);
  const isIndexOrder = isRangeInOrder(definition, variant);
  const isFilteredFirst =
    isSortedLast(definition, variant) ||
    (!isIndexOrder && filters.some((name) => filterFirst?.includes(name)));
  const isSearchInOtherOrder = isSearch(filters) && searchColumn !== undefined && searchColumn !== sortBy;
  const direction = sortOrder === "asc" ? asc : desc;
  const order = { columns: [column, key], isDescending: sortOrder === "desc" };
  const sliceBy = scanned && { ...ranges, matching: where, order };
  const inOrder = {
    from,
    // A search in the order of the searched column reads that index up to the end of the page. In another order, the
    // subquery finds the matches in that index first: otherwise every row would be read.
    where: !isFilteredFirst && isSearchInOtherOrder ? inSubquery({ from, key, where }) : where,
    // The index of the filter is read, and its few rows are sorted.
    orderBy: [direction(isFilteredFirst ? withoutIndex(column) : column), direction(key)],
    paged: true,
    scanned: isIndexOrder ? undefined : scanned,
  };
  const { fields } = definition;
  const positionedFields = { ...fields, orderValue: column, orderKey: key };
  const nameOf = (statement: string) => `${definition.name}/${statement}/${variant.name}`;
  // Safe: the rows have the fields of the definition.
  const selectRows = (statement: string, plan: Omit<Parameters<typeof select>[1], "fields">) =>
    select(nameOf(statement), { ...plan, fields }) as unknown as TenantStatement<Row<F>>;
  const byKeyPlan = { from, where: eq(key, integerInput("key")) };
  const byKey = selectRows("byKey", byKeyPlan);
  const positionedByKey = select(nameOf("positionedByKey"), { ...byKeyPlan, fields: positionedFields });
  const sliceWith = ({ statement: rowByKey }: TenantStatement<unknown>) =>
    sliceBy && { ...sliceBy, rowByKey };
  return {
    byKey,
    page: selectRows("page", { ...inOrder, sliceBy: sliceWith(byKey) }),
    // Safe: the same fields, and the two columns of the order.
    positionedPage: select(nameOf("positionedPage"), {
      ...inOrder,
      fields: positionedFields,
      sliceBy: sliceWith(positionedByKey),
    }) as unknown as TenantStatement<OrderedRow<Row<F>>>,
    pageInSortOrder:
      isSearchInOtherOrder && !isFilteredFirst && hasIndex(from, column) && sliceBy
        ? selectRows("pageInSortOrder", {
            ...inOrder,
            where,
            sliceBy: { where: ranges.where, by: [column, key], order },
          })
        : undefined,
    keys: select(nameOf("keys"), { fields: { key }, ...inOrder, sliceBy }) as TenantStatement<{
      key: number;
    }>,
  };
}

function countStatements<F extends SelectFields, Sort extends string, Filter extends string>(
  definition: ListDefinition<F, Sort, Filter>,
  variant: ListVariant<Sort, Filter>,
  scanned: Statement<unknown> | undefined,
): Pick<ListStatements<Row<F>>, "countAll" | "countAfter"> {
  const { from, key, searchColumn } = definition;
  const { sortBy, sortOrder, filters } = variant;
  const column = definition.sortBy[sortBy];
  const where = and(...conditionsOf(definition, filters));
  const ranges = indexRange(definition, variant, true);
  const sliceBy = scanned && ranges;
  const plan = { fields: { count: count() }, from, scanned };
  const afterLast = isAfter([column, key], [textInput("lastValue"), integerInput("lastKey")], sortOrder);
  const bounds = ranges.by[0] === column ? and(ranges.bounds, afterLast) : ranges.bounds;
  const nameOf = (statement: string) => `${definition.name}/${statement}/${variant.name}`;
  return {
    // Keys can also be written by a command next to the server; lists of them have no such filters.
    countAll: select(nameOf("countAll"), {
      ...plan,
      where,
      sliceBy,
      isTotal: definition.filterFields !== undefined,
    }),
    countAfter:
      isSearch(filters) && searchColumn === sortBy
        ? select(nameOf("countAfter"), {
            ...plan,
            where: and(where, afterLast),
            sliceBy: sliceBy && { ...sliceBy, bounds },
          })
        : undefined,
  };
}
