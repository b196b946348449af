/** The requested page of a list; pages count from 1. With `cursor`, the rows after it; an empty one is the beginning. */
export type PageRequest = { page: number; pageSize: number; cursor?: string | undefined };

/** Rows per page of a request that names no number. */
export const defaultPageSize = 25;

export const sortOrders = ["asc", "desc"] as const;
export type SortOrder = (typeof sortOrders)[number];

export type Pagination = {
  page: number;
  pageSize: number;
  total: number;
  totalPages: number;
  hasNextPage: boolean;
  hasPrevPage: boolean;
};

export type CursorPagination = { pageSize: number; hasNextPage: boolean; nextCursor: string | null };

/** The number of rows before the page, at most the largest exact integer. */
export function offsetOf({ page, pageSize }: PageRequest): number {
  return Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER);
}

/** The pagination of a page in a list of `total` rows. A page past the end has a previous page. */
export function paginationOf({ page, pageSize }: PageRequest, total: number): Pagination {
  const totalPages = Math.ceil(total / pageSize);
  return { page, pageSize, total, totalPages, hasNextPage: page < totalPages, hasPrevPage: page > 1 };
}
