import { type TProperties, type TSchema, type TUnsafe, Type } from "@sinclair/typebox";
import { Problem } from "../../core/errors.ts";
import type { ListSchema } from "../../core/lists/definition.ts";
import { defaultPageSize, type PageRequest, sortOrders } from "../../core/lists/paging.ts";
import { attributeParameters, fieldParameters, orderParameter } from "./filter-parameters.ts";
import {
  choice,
  integer,
  nullableText,
  number,
  text,
  type WholeNumber,
  wholeNumberParameter,
} from "./shapes.ts";

/** The pagination of a list that can be requested by page only. */
export const NumberedPagination = Type.Object(
  {
    page: integer({ minimum: 1, description: "The requested page, from 1", examples: [1] }),
    pageSize: integer({ minimum: 1, description: "The requested page size", examples: [25] }),
    total: integer({ minimum: 0, description: "Number of rows on all pages", examples: [42] }),
    totalPages: integer({ minimum: 0, description: "Number of pages; 0 when no row matches", examples: [2] }),
    hasNextPage: Type.Boolean({ description: "Whether a later page has rows", examples: [true] }),
    hasPrevPage: Type.Boolean({
      description: "Whether an earlier page exists; also true past the end",
      examples: [false],
    }),
  },
  { $id: "Pagination", description: "The position of the page in the list" },
);

const CursorPaginationShape = Type.Object(
  {
    pageSize: integer({ minimum: 1, description: "The requested page size", examples: [25] }),
    hasNextPage: Type.Boolean({ description: "Whether more rows follow", examples: [true] }),
    nextCursor: nullableText({
      description: "The `cursor` of the next page; null at the end of the list",
      examples: ["q83vEjRWeJq83vEjRWeJq1siYWNtZSIsNDJd"],
    }),
  },
  { $id: "CursorPagination", description: "The position of a page that was requested with `cursor`" },
);
/** The pagination of a list that can be requested by page or by cursor. */
export const AnyPagination = Type.Union([NumberedPagination, CursorPaginationShape], {
  $id: "AnyPagination",
});

/** Without `default`: clients that send defaults would send `page` next to `cursor`, which is an error. */
export const pageParameters = {
  page: Type.Optional(
    wholeNumberParameter({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "Page number, from 1; without `cursor`, 1 if absent",
    }),
  ),
  pageSize: Type.Optional(
    wholeNumberParameter({
      minimum: 1,
      maximum: 100,
      description: `Rows per page; ${defaultPageSize} if absent`,
    }),
  ),
  cursor: Type.Optional(
    text({
      description:
        "Instead of `page`: empty for the first page, then `nextCursor` of the page before. It is valid for the same list, filters and order",
    }),
  ),
};

/** The query of a list: page, filters and order. `described`: the search, and filters by one text with their own description. */
export function listQuerySchema<Sort extends string, Described extends TProperties>(
  list: ListSchema<Sort>,
  described: Described,
) {
  return Type.Object(
    {
      ...pageParameters,
      ...described,
      ...fieldParameters(list.filters, Object.keys(described)),
      sortBy: Type.Optional(orderParameter(list)),
      sortOrder: Type.Optional(
        choice(sortOrders, { default: list.defaultOrder[1], description: "Sort direction" }),
      ),
      ...(list.attributes && attributeParameters),
    },
    { additionalProperties: true },
  );
}

export function externalIdFilter(noun: string): TUnsafe<string> {
  return text({ maxLength: 255, description: `Only the ${noun} with this externalId` });
}

/** The filter of a list of the organization by account. */
export function accountFilter(plural: string) {
  return Type.Optional(
    wholeNumberParameter({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: `Only ${plural} of this account`,
    }),
  );
}

export function searchFilter(fields: string): TUnsafe<string> {
  return text({
    maxLength: 255,
    description: `Case-insensitive substring of ${fields}; an empty text is no filter`,
  });
}

type PageParameters = { page?: WholeNumber; pageSize?: WholeNumber; cursor?: string };

/**
 * The requested page of a query that was validated. Throws `invalid_cursor` for a page with a cursor: a page that was
 * left out is the default, a number.
 */
export function pageOf({ page = 1, pageSize = defaultPageSize, cursor }: PageParameters): PageRequest {
  if (cursor !== undefined && typeof page === "string") throw new Problem("invalid_cursor");
  return { page: Number(page), pageSize: Number(pageSize), cursor };
}

export const revenueShape = {
  accounts: integer({ minimum: 0, description: "Number of accounts", examples: [12] }),
  mrr: number({ description: "The sum of the accounts' mrr, rounded to two decimals", examples: [15_006] }),
};

/** A page of a list without page numbers. */
export function cursorListOf<Row extends TSchema>(row: Row, $id: string) {
  return Type.Object({ data: Type.Array(row), pagination: CursorPaginationShape }, { $id });
}

/** A page of a list: its rows in `data`, and perhaps other members. */
export function listOf<Row extends TSchema, More extends TProperties>(row: Row, $id: string, more?: More) {
  // Safe: no other members without `more`.
  return Type.Object({ data: Type.Array(row), pagination: AnyPagination, ...(more as More) }, { $id });
}
