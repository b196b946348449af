import { checkParameters, isSearch, isSortOrder, type ParameterRules, searchOf } from "../../address.ts";

const columns = ["externalId", "count", "firstAt", "lastAt"] as const;
type UnmatchedColumn = (typeof columns)[number];
export type UnmatchedView = { search: string; sortBy: UnmatchedColumn; sortOrder: "asc" | "desc" };

/** The search and the order of the address. */
export function viewOf(query: URLSearchParams): UnmatchedView {
  const sortBy = columns.find((column) => column === query.get("sortBy")) ?? "count";
  const sortOrder = query.get("sortOrder") === "asc" ? "asc" : "desc";
  return { search: searchOf(query), sortBy, sortOrder };
}

const parameters: ParameterRules = {
  search: isSearch,
  sortBy: (value) => columns.some((column) => column === value),
  sortOrder: isSortOrder,
};

export const checkUnmatched = (query: URLSearchParams) => checkParameters(query, parameters);
