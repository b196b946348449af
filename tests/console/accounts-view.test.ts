import { expect, test } from "bun:test";
import { activeFilters } from "../../src/console/app/pages/accounts/describe.ts";
import {
  apiFiltersOf,
  changeView,
  clearFilters,
  parseView,
  queryOfView,
} from "../../src/console/app/pages/accounts/view.ts";

const query =
  "search=acme&status=active%2Cchurned&tier=at_risk%2Cnone&mrr%5Bgte%5D=10&mrr%5Blte%5D=99.5&attributes.plan=pro&attributes.seats%5Bgt%5D=5&attributes.owner=none&lastContact=over-30&sortBy=attributes.seats&sortOrder=desc&cursor=abc";
const view = parseView(new URLSearchParams(query));

test("the address of a view is read as it was written", () => {
  expect(queryOfView(view).toString()).toBe(query);
  expect(queryOfView(parseView(new URLSearchParams())).toString()).toBe("");
});

test("invalid parameters are left out", () => {
  const invalid =
    "status=gone&tier=x&mrr%5Bgte%5D=x&lastContact=over-x&sortBy=secret&sortOrder=up&attributes.9=1&foo=1";
  for (const query of [invalid, "sortBy=attributes.seats[gt]"])
    expect(queryOfView(parseView(new URLSearchParams(query))).toString()).toBe("");
});

test("the filters are parameters of the API, and the last contact a day", () => {
  expect(apiFiltersOf(view, (days) => `day-${days}`)).toEqual({
    search: "acme",
    status: "active,churned",
    tier: "at_risk,none",
    "mrr[gte]": "10",
    "mrr[lte]": "99.5",
    "attributes.plan": "pro",
    "attributes.seats[gt]": "5",
    "attributes.owner": "none",
    "contactActivityAt[lt]": "day-30",
  });
  const never = parseView(new URLSearchParams("lastContact=never"));
  expect(apiFiltersOf(never, String)).toEqual({ contactActivityAt: "none" });
  const within = parseView(new URLSearchParams("lastContact=within-7"));
  expect(apiFiltersOf(within, String)).toEqual({ "contactActivityAt[gte]": "7" });
});

test("the text none as the value of an attribute is not the filter for rows without it", () => {
  const none = changeView(clearFilters(view), {
    attributes: [{ name: "plan", operator: "eq", value: "none" }],
  });
  expect(apiFiltersOf(none, String)).toEqual({ "attributes.plan[in]": "none" });
});

test("another filter or order shows the first page", () => {
  expect(changeView(view, { search: "x" }).cursor).toBeUndefined();
});

test("each filter is described, and can be removed", () => {
  const filters = activeFilters(view, String);
  expect(filters.map(({ text }) => text)).toEqual([
    "Status: Active, Churned",
    "Tier: At risk, Unscored",
    "MRR: 10 to 99.5",
    "Last contact: more than 30 days ago",
    "plan is pro",
    "seats is greater than 5",
    "owner is not set",
  ]);
  expect(filters.map(({ rest }) => activeFilters(rest, String).length)).toEqual(filters.map(() => 6));
  expect(activeFilters(clearFilters(view), String)).toEqual([]);
});
