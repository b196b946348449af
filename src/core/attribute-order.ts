import { and, asc, count, desc, eq, gt, lt, not, type SQL } from "drizzle-orm";
import type { Value, Values } from "../../db/engine.ts";
import { compare, hasIndex, integerInput, withoutIndex, withoutIndexes } from "../../db/expressions.ts";
import { type AttributeResource, attributeValues } from "../../db/schema.ts";
import { defineFamily, type Row, type SelectFields } from "../../db/statements.ts";
import { ATTRIBUTE_IDS, hasValue, isInRange, isInRest, isOfAttribute } from "./attribute-conditions.ts";
import { type AnyList, conditionsOf, type OrderedRow } from "./list-definition.ts";
import { isNarrow, isSearch } from "./list-index.ts";
import type { SortOrder } from "./paging.ts";
import { readerByKey } from "./rows-by-key.ts";
import type { TenantSnapshot } from "./tenant.ts";
import { existsIn, inSubquery, select, type TenantStatement } from "./tenant-statements.ts";

const { rowId } = attributeValues;
type Keys = TenantStatement<{ key: number; value: string | number | null }>;

/** The statements of an order by one attribute, with the inputs `resource` and `name`, and those of the filters. */
type OrderStatements<R> = {
  /** Rows with the attribute: pages of their keys, all and after `cursorValue` and `cursorKey`, and their number. */
  valued: Keys;
  within: Keys;
  beyond: Keys;
  valuedCount: TenantStatement<{ count: number }>;
  /** Rows without it, by id: all, and after `cursorKey`. */
  missing: TenantStatement<OrderedRow<R>>;
  missingAfter: TenantStatement<OrderedRow<R>>;
};

/** Where a page of an order by an attribute begins: a row with the attribute, or one without. */
export type AttributePosition = { value?: string | number; key: number };

/** A request for rows in the order of an attribute. */
export type AttributeOrderRequest = {
  snapshot: TenantSnapshot;
  name: string;
  column: "text" | "number";
  /** Whether the values of the attribute have a filter themselves, whose inputs are those of `orderInputs`. */
  isFiltered: boolean;
  order: SortOrder;
  /** The names of the conditions, and their inputs. */
  filters: readonly string[];
  values: Values;
  /** Whether rows with the attribute can match, and whether rows without it can. */
  canHaveValue: boolean;
  canBeMissing: boolean;
  /** The stored number of matching rows with the attribute, if it is known. */
  valuedCount?: number | undefined;
};

/**
 * The reads of a list in the order of an attribute. Rows without the attribute are last in ascending order,
 * and first in descending order.
 */
export function attributeOrder<F extends SelectFields>(
  definition: AnyList & { fields: F },
  of: AttributeResource,
) {
  const { from, key, fields } = definition;
  const family = `${definition.name}.byAttribute`;
  const cache = new Map<string, OrderStatements<Row<F>>>();
  const rowFields = { ...fields, orderKey: key };
  const readRows = readerByKey(definition, family);
  const scanned = select(`${family}.scanned`, { fields: { key }, from, paged: true }).statement;
  defineFamily(family, (variant) => void statementsOf(variant.slice(variant.indexOf("/") + 1)));

  /** `variant` is `column/range/order/filter+filter`, where the range is `all` or `filtered`. */
  function statementsOf(variant: string): OrderStatements<Row<F>> {
    const statements = cache.get(variant) ?? build(variant);
    cache.set(variant, statements);
    return statements;
  }

  function build(variant: string): OrderStatements<Row<F>> {
    const [column = "", range, order, chosen = ""] = variant.split("/");
    if ((column !== "text" && column !== "number") || (order !== "asc" && order !== "desc") || !range)
      throw new Error(`${family} has no variant ${variant}`);
    const filters = chosen === "" ? [] : chosen.split("+");
    const conditions = and(...conditionsOf(definition, filters));
    const value = attributeValues[column];
    const isFew = filters.includes(ATTRIBUTE_IDS) || isNarrow(definition, filters) || isSearch(filters);
    const rowMatches = conditions && matchOf(conditions, isFew);
    const [direction, after, compareKey] =
      order === "asc" ? [asc, ">" as const, gt] : [desc, "<" as const, lt];
    const nameOf = (statement: string) => `${family}/${statement}/${variant}`;
    const isFiltered = range === "filtered";
    const inRange = isFiltered ? isInRange(column, "order") : undefined;
    const inRest = isFiltered ? isInRest(column, "order") : undefined;
    // Without the condition of its index, SQLite reads the values of few rows by their primary key.
    const ofOrder = and(isOfAttribute, isFew ? undefined : hasValue[column]);
    const matching = and(inRange, inRest, rowMatches);
    const indexed = [isOfAttribute, hasValue[column]];
    const isDescending = order === "desc";

    const keys = (statement: string, position?: SQL) => {
      const where = and(ofOrder, matching, position);
      return select(nameOf(statement), {
        fields: { key: rowId, value },
        from: attributeValues,
        where,
        orderBy: [direction(isFew ? withoutIndex(value) : value), direction(rowId)],
        paged: true,
        scanned: rowMatches && scanned,
        sliceBy: isFew
          ? undefined
          : {
              where: indexed,
              matching: and(matching, position),
              by: [value, rowId],
              bounds: and(inRange, position),
              order: { columns: [value, rowId], isDescending },
            },
      }) as unknown as Keys;
    };
    const isMissing = not(existsIn({ from: attributeValues, where: and(isOfAttribute, eq(rowId, key)) }));
    const missing = (statement: string, position?: SQL) =>
      select(nameOf(statement), {
        fields: rowFields,
        from,
        where: and(conditions, withoutIndexes(isMissing), position),
        orderBy: [direction(key)],
        paged: true,
        scanned,
        sliceBy: hasIndex(from, key)
          ? { where: [], by: [key], bounds: position, order: { columns: [key], isDescending } }
          : undefined,
      }) as unknown as TenantStatement<OrderedRow<Row<F>>>;
    const isSame = compare(value, "=", "cursorValue");
    return {
      valued: keys("valued"),
      within: keys("within", and(isSame, compareKey(rowId, integerInput("cursorKey")))),
      beyond: keys("beyond", compare(value, after, "cursorValue")),
      valuedCount: select(nameOf("valuedCount"), {
        fields: { count: count() },
        from: attributeValues,
        where: and(ofOrder, matching),
        scanned: rowMatches && scanned,
        sliceBy: isFew ? undefined : { where: indexed, matching, by: [value, rowId], bounds: inRange },
      }),
      missing: missing("missing"),
      missingAfter: missing("missingAfter", compareKey(key, integerInput("cursorKey"))),
    };
  }

  /** That the row of a value matches. Few rows are found first, and their values by the primary key. */
  function matchOf(conditions: SQL, isFew: boolean): SQL {
    if (isFew) return inSubquery({ from, key, where: conditions, column: rowId });
    return withoutIndexes(existsIn({ from, where: and(eq(key, rowId), conditions) }));
  }

  async function readValued(
    { snapshot, values, ...request }: AttributeOrderRequest,
    statement: "valued" | "within" | "beyond",
    page: Values,
  ): Promise<OrderedRow<Row<F>>[]> {
    const found = await snapshot.all(statementsFor(request)[statement], {
      ...inputs(request, values),
      ...page,
    });
    const rows = await readRows(
      snapshot,
      found.map(({ key }) => key),
    );
    const valuesByKey = new Map(found.map(({ key, value }) => [key, value]));
    return rows.map((row) => ({ ...row, orderValue: valuesByKey.get(Number(row.orderKey)) as never }));
  }

  function statementsFor({
    column,
    isFiltered,
    order,
    filters,
  }: Omit<AttributeOrderRequest, "snapshot" | "values">) {
    return statementsOf(`${column}/${isFiltered ? "filtered" : "all"}/${order}/${filters.join("+")}`);
  }

  function inputs({ name }: { name: string }, values: Values): Record<string, Value> {
    return { ...values, resource: of, name };
  }

  return {
    /** The number of matching rows with the attribute. */
    async countValued({ snapshot, values, ...request }: AttributeOrderRequest): Promise<number> {
      return (await snapshot.first(statementsFor(request).valuedCount, inputs(request, values)))?.count ?? 0;
    },

    /** A page by its offset, of `total` matching rows. */
    async readPage(
      request: AttributeOrderRequest,
      { limit, offset, total }: { limit: number; offset: number; total: number },
    ): Promise<OrderedRow<Row<F>>[]> {
      const { snapshot, values, order } = request;
      const valued = {
        isPossible: request.canHaveValue,
        read: (page: Values) => readValued(request, "valued", page),
        count: async () => request.valuedCount ?? this.countValued(request),
      };
      const missing = {
        isPossible: request.canBeMissing,
        read: (page: Values) =>
          snapshot.all(statementsFor(request).missing, { ...inputs(request, values), ...page }),
        count: async () => total - (await valued.count()),
      };
      const [first, second] = order === "asc" ? [valued, missing] : [missing, valued];
      if (!first.isPossible) return second.read({ limit, offset });
      const rows = await first.read({ limit, offset });
      if (rows.length === limit || !second.isPossible) return rows;
      // A page with rows of the first part and of the second one is at its end.
      const skipped = rows.length > 0 || offset === 0 ? 0 : offset - (await first.count());
      return [...rows, ...(await second.read({ limit: limit - rows.length, offset: skipped }))];
    },

    /** The first rows after a position, or the first rows. */
    async readAfter(
      request: AttributeOrderRequest,
      position: AttributePosition | undefined,
      limit: number,
    ): Promise<OrderedRow<Row<F>>[]> {
      const { snapshot, values, order, canHaveValue, canBeMissing } = request;
      const cursor = position && { cursorValue: position.value ?? null, cursorKey: position.key };
      const isAmongValued = position?.value !== undefined;
      const read = (statement: keyof OrderStatements<never>) => (page: Values) => {
        const bound = { ...page, ...cursor };
        if (statement === "valued" || statement === "within" || statement === "beyond")
          return readValued(request, statement, bound);
        const part = statement === "missingAfter" ? "missingAfter" : "missing";
        return snapshot.all(statementsFor(request)[part], { ...inputs(request, values), ...bound });
      };
      const valued = isAmongValued ? [read("within"), read("beyond")] : [read("valued")];
      const missing = [read(position && !isAmongValued ? "missingAfter" : "missing")];
      // Before the part of the position, nothing is read.
      const isPast = position !== undefined && isAmongValued === (order === "desc");
      const first = order === "asc" ? valued : missing;
      const second = order === "asc" ? missing : valued;
      const possible = new Set([...(canHaveValue ? valued : []), ...(canBeMissing ? missing : [])]);
      const rows: OrderedRow<Row<F>>[] = [];
      for (const readPart of [...(isPast ? [] : first), ...second])
        if (rows.length < limit && possible.has(readPart))
          rows.push(...(await readPart({ limit: limit - rows.length, offset: 0 })));
      return rows;
    },
  };
}
