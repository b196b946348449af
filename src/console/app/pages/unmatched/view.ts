import { oneOf, orderParameter, searchParameter, type ViewOf } from "../../address.ts";

/** The search and the order of the unmatched ids. */
export const unmatchedParameters = {
  ...searchParameter,
  sortBy: oneOf(["externalId", "count", "firstAt", "lastAt"] as const, "count"),
  sortOrder: orderParameter("desc"),
};
export type UnmatchedView = ViewOf<typeof unmatchedParameters>;
