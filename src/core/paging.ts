/** The part of a list that is asked for: pages count from 1. */
export type PageRequest = { page: number; pageSize: number };

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

/** How many rows stand before the page; never more than an exact integer. */
export function offsetOf({ page, pageSize }: PageRequest): number {
  return Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER);
}

/** Where the page stands in a list of `total` rows. A page past the end has a page before it. */
export function paginationOf({ page, pageSize }: PageRequest, total: number): Pagination {
  const totalPages = Math.ceil(total / pageSize);
  return { page, pageSize, total, totalPages, hasNextPage: page < totalPages, hasPrevPage: page > 1 };
}
