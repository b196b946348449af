import { oneOf, orderParameter, searchParameter, type ViewOf } from "../../address.ts";

/** When the contacts were last seen, as filters of the API. */
export const seenFilters = {
  any: {},
  week: { "lastSeenAt.gte": "-7d" },
  quiet: { "lastSeenAt.lt": "-30d" },
  never: { lastSeenAt: "none" },
} as const;
export type Seen = keyof typeof seenFilters;
export type ContactsView = ViewOf<typeof contactParameters>;

/** The search, the filter and the order of the contacts. */
export const contactParameters = {
  ...searchParameter,
  // Safe: the keys of the table.
  seen: oneOf(Object.keys(seenFilters) as Seen[], "any"),
  sortBy: oneOf(["name", "createdAt"] as const, "name"),
  sortOrder: orderParameter("asc"),
};
