import type { Value } from "../../db/engine.ts";
import type { AttributeOrderRequest, AttributePosition, attributeOrder } from "./attribute-order.ts";
import { type CursorPosition, readCursorPage } from "./cursor.ts";
import type { OrderedRow } from "./list-definition.ts";
import {
  type CursorPagination,
  offsetOf,
  type PageRequest,
  type Pagination,
  paginationOf,
} from "./paging.ts";

type Reads<R> = Pick<ReturnType<typeof attributeOrder<never>>, "countValued"> & {
  readPage(
    request: AttributeOrderRequest,
    page: { limit: number; offset: number; valued: number; total: number },
  ): Promise<OrderedRow<R>[]>;
  readAfter(
    request: AttributeOrderRequest,
    position: AttributePosition | undefined,
    limit: number,
  ): Promise<OrderedRow<R>[]>;
};

/** The page of a list in the order of an attribute, by number or by cursor. */
export async function readAttributePage<R>(
  reads: Reads<R>,
  request: AttributeOrderRequest,
  page: PageRequest,
  {
    scope,
    valuedCount,
    readTotal,
  }: {
    /** What a cursor belongs to. */
    scope: unknown;
    /** The stored number of all rows with the attribute. */
    valuedCount: number;
    readTotal: () => Promise<number>;
  },
): Promise<{ rows: OrderedRow<R>[]; pagination: Pagination | CursorPagination }> {
  if (page.cursor !== undefined)
    return readCursorPage(request.snapshot, page, {
      query: scope,
      positionOf,
      readAfter: (after, limit) => reads.readAfter(request, after && parsePosition(after), limit),
    });
  const total = await readTotal();
  const valued = request.filters.length === 0 ? valuedCount : await reads.countValued(request);
  const offset = offsetOf(page);
  const limit = Math.min(page.pageSize, total - offset);
  const rows = limit > 0 ? await reads.readPage(request, { limit, offset, valued, total }) : [];
  return { rows, pagination: paginationOf(page, total) };
}

/** The key of a row, after its value if it has the attribute. */
function positionOf({ orderValue, orderKey }: { orderValue?: Value; orderKey: Value }): CursorPosition {
  // Safe: values are texts and numbers, keys are numbers.
  return orderValue === undefined
    ? [orderKey as number]
    : [orderValue as string | number, orderKey as number];
}

function parsePosition([first = 0, key]: CursorPosition): AttributePosition {
  return key === undefined ? { key: Number(first) } : { value: first, key: Number(key) };
}
