import type { Value } from "../../../db/engine.ts";
import { Problem } from "../errors.ts";
import { type CursorPosition, readCursorPage } from "../lists/cursor.ts";
import type { OrderedRow } from "../lists/definition.ts";
import {
  type CursorPagination,
  offsetOf,
  type PageRequest,
  type Pagination,
  paginationOf,
} from "../lists/paging.ts";
import type { AttributeOrderRequest, AttributePosition } from "./order.ts";

/** The reads of `attributeOrder`. */
type AttributeOrderReads<R> = {
  readPage(
    request: AttributeOrderRequest,
    page: { limit: number; offset: number; total: number },
  ): Promise<OrderedRow<R>[]>;
  readAfter(
    request: AttributeOrderRequest,
    position: AttributePosition | undefined,
    limit: number,
  ): Promise<OrderedRow<R>[]>;
};

/** The page of a list in the order of an attribute, by number or by cursor. `scope` is what a cursor belongs to. */
export async function readAttributePage<R>(
  reads: AttributeOrderReads<R>,
  request: AttributeOrderRequest,
  page: PageRequest,
  { scope, readTotal }: { scope: unknown; readTotal: () => Promise<number> },
): Promise<{ rows: OrderedRow<R>[]; pagination: Pagination | CursorPagination }> {
  if (page.cursor !== undefined)
    return readCursorPage(request.snapshot, page, {
      query: scope,
      positionOf,
      readAfter: (after, limit) => reads.readAfter(request, after && parsePosition(after, request), limit),
    });
  const total = await readTotal();
  const offset = offsetOf(page);
  const limit = Math.min(page.pageSize, total - offset);
  const rows = limit > 0 ? await reads.readPage(request, { limit, offset, total }) : [];
  return { rows, pagination: paginationOf(page, total) };
}

/** The key of a row, after its value if it has the attribute. */
function positionOf({ orderValue, orderKey }: { orderValue?: Value; orderKey: Value }): CursorPosition {
  // Safe: values are texts and numbers, keys are numbers.
  return orderValue === undefined
    ? [orderKey as number]
    : [orderValue as string | number, orderKey as number];
}

/** Throws `invalid_cursor` when the values have another type now. Without values, the position may have any. */
function parsePosition(
  [first = 0, key]: CursorPosition,
  { canHaveValue, column }: AttributeOrderRequest,
): AttributePosition {
  if (key === undefined) return { key: Number(first) };
  if (canHaveValue && (typeof first === "string") !== (column === "text"))
    throw new Problem("invalid_cursor");
  return { value: first, key: Number(key) };
}
