import type { Value, Values } from "../../../db/engine.ts";
import type { AttributeResource } from "../../../db/schema.ts";
import { defineFamily, type Row, type SelectFields } from "../../../db/statements.ts";
import type { AnyList, OrderedRow } from "../lists/definition.ts";
import type { SortOrder } from "../lists/paging.ts";
import { readerByKey } from "../lists/rows-by-key.ts";
import type { TenantSnapshot } from "../tenant/tenant.ts";
import { type OrderStatements, orderStatements, type ValueFilter } from "./order-statements.ts";

/** Where a page of an order by an attribute begins: a row with the attribute, or one without. */
export type AttributePosition = { value?: string | number; key: number };

/** A request for rows in the order of an attribute. */
export type AttributeOrderRequest = {
  snapshot: TenantSnapshot;
  name: string;
  column: "text" | "number";
  /** The filter of the values of the attribute itself, whose inputs are those of `orderInputs`. */
  valueFilter: ValueFilter;
  order: SortOrder;
  /** The names of the conditions, and their inputs. */
  filters: readonly string[];
  values: Values;
  /** Whether rows with the attribute can match. */
  canHaveValue: boolean;
  /** Whether rows without the attribute can match. Called when the page may have such rows. */
  canBeMissing: () => Promise<boolean>;
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
  const family = `${definition.name}.byAttribute`;
  const cache = new Map<string, OrderStatements<Row<F>>>();
  const build = orderStatements(definition, family);
  const readRows = readerByKey(definition, family);
  defineFamily(family, (variant) => void statementsOf(variant.slice(variant.indexOf("/") + 1)));

  function statementsOf(variant: string): OrderStatements<Row<F>> {
    const statements = cache.get(variant) ?? build(variant);
    cache.set(variant, statements);
    return statements;
  }

  function statementsFor({
    column,
    valueFilter,
    order,
    filters,
  }: Omit<AttributeOrderRequest, "snapshot" | "values">) {
    return statementsOf(`${column}/${valueFilter}/${order}/${filters.join("+")}`);
  }

  function inputs({ name }: { name: string }, values: Values): Record<string, Value> {
    return { ...values, resource: of, name };
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

  function readMissing(
    { snapshot, values, ...request }: AttributeOrderRequest,
    statement: "missing" | "missingAfter",
    page: Values,
  ): Promise<OrderedRow<Row<F>>[]> {
    return snapshot.all(statementsFor(request)[statement], { ...inputs(request, values), ...page });
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
      const valued = {
        isPossible: async () => request.canHaveValue,
        read: (page: Values) => readValued(request, "valued", page),
        count: async () => request.valuedCount ?? this.countValued(request),
      };
      const missing = {
        isPossible: request.canBeMissing,
        read: (page: Values) => readMissing(request, "missing", page),
        count: async () => total - (await valued.count()),
      };
      const [first, second] = request.order === "asc" ? [valued, missing] : [missing, valued];
      if (!(await first.isPossible())) return second.read({ limit, offset });
      const rows = await first.read({ limit, offset });
      if (rows.length === limit || !(await second.isPossible())) return rows;
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
      const cursor = position && { cursorValue: position.value ?? null, cursorKey: position.key };
      const isAmongValued = position?.value !== undefined;
      const valued = isAmongValued ? (["within", "beyond"] as const) : (["valued"] as const);
      const missing = [position && !isAmongValued ? "missingAfter" : "missing"] as const;
      const [first, second] = request.order === "asc" ? [valued, missing] : [missing, valued];
      // Before the part of the position, nothing is read.
      const isPast = position !== undefined && isAmongValued === (request.order === "desc");
      const rows: OrderedRow<Row<F>>[] = [];
      for (const part of [...(isPast ? [] : first), ...second]) {
        if (rows.length === limit) break;
        const page = { ...cursor, limit: limit - rows.length, offset: 0 };
        if (part !== "missing" && part !== "missingAfter") {
          if (request.canHaveValue) rows.push(...(await readValued(request, part, page)));
        } else if (await request.canBeMissing()) rows.push(...(await readMissing(request, part, page)));
      }
      return rows;
    },
  };
}
