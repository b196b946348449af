import {
  checkParameters,
  isSearch,
  isSortOrder,
  type ParameterRules,
  type SortOrder,
  searchOf,
} from "../../address.ts";

const columns = ["name", "createdAt"] as const;
/** When the contacts were last seen, as filters of the API. */
export const seenFilters = {
  any: {},
  week: { "lastSeenAt.gte": "-7d" },
  quiet: { "lastSeenAt.lt": "-30d" },
  never: { lastSeenAt: "none" },
} as const;
export type Seen = keyof typeof seenFilters;
export type ContactsView = {
  search: string;
  seen: Seen;
  sortBy: (typeof columns)[number];
  sortOrder: SortOrder;
};

const isSeen = (value: string): value is Seen => Object.hasOwn(seenFilters, value);

/** The search, the filter and the order of the address. */
export function contactsViewOf(query: URLSearchParams): ContactsView {
  const seen = query.get("seen") ?? "";
  return {
    search: searchOf(query),
    seen: isSeen(seen) ? seen : "any",
    sortBy: columns.find((column) => column === query.get("sortBy")) ?? "name",
    sortOrder: query.get("sortOrder") === "desc" ? "desc" : "asc",
  };
}

const parameters: ParameterRules = {
  search: isSearch,
  seen: isSeen,
  sortBy: (value) => columns.some((column) => column === value),
  sortOrder: isSortOrder,
};

export const checkContacts = (query: URLSearchParams) => checkParameters(query, parameters);
