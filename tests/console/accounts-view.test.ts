import { expect, test } from "bun:test";
import { checkParameters } from "../../src/console/app/address.ts";
import { filters, rangeFault } from "../../src/console/app/pages/accounts/filters.ts";
import {
  activeFilters,
  apiFiltersOf,
  checkAddress,
  parameterOf,
  parseView,
  queryOfView,
} from "../../src/console/app/pages/accounts/view.ts";
import { unmatchedParameters } from "../../src/console/app/pages/unmatched/view.ts";

const query =
  "search=acme&status=active%2Cchurned&tier=at_risk%2Cnone&mrr.gte=10&mrr.lte=99.5&lastContact=over-30&attributes.plan=pro&attributes.seats.gt=5&attributes.owner=none&sortBy=attributes.seats&sortOrder=desc&columns=mrr%2Cattributes.plan&cursor=abc";
const view = parseView(new URLSearchParams(query));

test("the address of a view is read as it was written", () => {
  expect(queryOfView(view).toString()).toBe(query);
  expect(queryOfView(parseView(new URLSearchParams())).toString()).toBe("");
});

test("invalid parameters are left out", () => {
  const invalid =
    "status=gone&tier=x&mrr.gte=x&lastContact=over-x&sortBy=secret&sortOrder=up&attributes.9=1&foo=1";
  for (const query of [invalid, "sortBy=attributes.seats.gt"])
    expect(queryOfView(parseView(new URLSearchParams(query))).toString()).toBe("");
});

const ignoredOf = (query: string) => checkAddress(new URLSearchParams(query)).ignored;

test("parameters that have no effect are named, also those that are read in part", () => {
  expect(ignoredOf(query)).toEqual([]);
  expect(ignoredOf("")).toEqual([]);
  const damaged = [
    ...["status=gone", "status=active,gone", "status=", "tier=x", "mrr.gte=x", "mrr.gt=5", "sortBy=secret"],
    ...[
      "lastContact=over-x",
      "lastContact=over-3651",
      "sortOrder=up",
      "attributes.9=1",
      "attributes.a[none]=1",
    ],
    ...["columns=mrr,secret", "columns=mrr,", "columns=name.x"],
    ...["foo=1", "constructor=1", `search=${"x".repeat(256)}`],
  ];
  for (const part of damaged) expect(ignoredOf(`cursor=abc&${part}`)).toEqual([part]);
});

test("of several values of one parameter the first is read, and of attributes at most ten", () => {
  expect(ignoredOf("status=active&status=churned")).toEqual(["status=churned"]);
  expect(ignoredOf("attributes.a=1&attributes.a=2")).toEqual(["attributes.a=2"]);
  // Also where only a later one is valid.
  expect(ignoredOf("status=gone&status=active")).toEqual(["status=gone", "status=active"]);
  expect(queryOfView(parseView(new URLSearchParams("status=gone&status=active"))).toString()).toBe("");
  const filters = Array.from({ length: 12 }, (_, i) => `attributes.a${i}=${i}`);
  expect(ignoredOf(filters.join("&"))).toEqual(["attributes.a10=10", "attributes.a11=11"]);
});

test("a part that an address has twice is named once", () => {
  expect(ignoredOf("foo=1&foo=1&status=gone&status=gone")).toEqual(["foo=1", "status=gone"]);
});

test("a page of other parameters reads the first of several values, and searches of at most 255 characters", () => {
  const check = (query: string) => checkParameters(new URLSearchParams(query), unmatchedParameters);
  expect(check("sortBy=secret&sortBy=count").ignored).toEqual(["sortBy=secret", "sortBy=count"]);
  expect(check("sortOrder=up&sortBy=count").rest.toString()).toBe("sortBy=count");
  const [longest, tooLong] = [`search=${"x".repeat(255)}`, `search=${"x".repeat(256)}`];
  expect(check(longest).ignored).toEqual([]);
  expect(check(tooLong).ignored).toEqual([tooLong]);
});

test("the rest of an address is the query of its view", () => {
  const { rest } = checkAddress(new URLSearchParams("status=active,gone&foo=1&mrr.gte=5"));
  expect(decodeURIComponent(rest.toString())).toBe("status=active&mrr.gte=5");
});

test("a range of the revenue whose end is before its start is a fault", () => {
  const faultsOf = (query: string) => {
    const { filters: values } = parseView(new URLSearchParams(query));
    return filters.flatMap((filter) => rangeFault(filter, values) ?? []);
  };
  expect(faultsOf("mrr.gte=6&mrr.lte=5")).toEqual(["MRR from is larger than MRR to: no account matches."]);
  for (const valid of ["&mrr.lte=5", "&mrr.lte=6", ""]) expect(faultsOf(`mrr.gte=5${valid}`)).toEqual([]);
});

test("the filters are parameters of the API, and the last contact a day", () => {
  expect(apiFiltersOf(view)).toEqual({
    search: "acme",
    status: "active,churned",
    tier: "at_risk,none",
    "mrr.gte": "10",
    "mrr.lte": "99.5",
    "attributes.plan": "pro",
    "attributes.seats.gt": "5",
    "attributes.owner": "none",
    "contactActivityAt.lt": "-30d",
  });
  const never = parseView(new URLSearchParams("lastContact=never"));
  expect(apiFiltersOf(never)).toEqual({ contactActivityAt: "none" });
  const within = parseView(new URLSearchParams("lastContact=within-7"));
  expect(apiFiltersOf(within)).toEqual({ "contactActivityAt.gte": "-7d" });
});

test("the text none as the value of an attribute is not the filter for rows without it", () => {
  const condition = parameterOf({ name: "plan", operator: "eq", value: "none" });
  expect(apiFiltersOf(parseView(new URLSearchParams([condition])))).toEqual({ "attributes.plan.in": "none" });
  const address = "attributes.owner.contains=Ann&attributes.renewalDate.lte=90d";
  expect(apiFiltersOf(parseView(new URLSearchParams(address)))).toEqual({
    "attributes.owner.contains": "Ann",
    "attributes.renewalDate.lte": "90d",
  });
});

test("accounts are filtered by every time that the list can be filtered by", () => {
  const ages = parseView(
    new URLSearchParams("createdAt=within-30&updatedAt=over-1&createdAt.gte=2026-01-01"),
  );
  expect(apiFiltersOf(ages)).toEqual({
    "createdAt.gte": "-30d",
    "updatedAt.lt": "-1d",
  });
  expect(activeFilters(ages).map(({ text }) => text)).toEqual([
    "Created: within 30 days",
    "Updated: more than 1 day ago",
  ]);
  expect(ignoredOf("createdAt=never")).toEqual(["createdAt=never"]);
});

test("the columns of an address are those that there are; without them, the name only", () => {
  const columnsOf = (text: string) => parseView(new URLSearchParams(text)).columns;
  expect(columnsOf("")).toBeUndefined();
  expect(columnsOf("columns=")).toEqual([]);
  expect(columnsOf("columns=mrr,secret,attributes.plan")).toEqual(["mrr", "attributes.plan"]);
  expect(columnsOf("columns=secret")).toBeUndefined();
});

test("each filter is described, and can be removed", () => {
  const filters = activeFilters(view);
  expect(filters.map(({ text }) => text)).toEqual([
    "Status: Active, Churned",
    "Tier: At risk, Unscored",
    "MRR: 10 to 99.50",
    "Last activity: more than 30 days ago",
    "Plan is pro",
    "Seats is greater than 5",
    "Owner is not set",
  ]);
  for (const { names } of filters) {
    const rest = new URLSearchParams(query);
    for (const name of names) rest.delete(name);
    expect(activeFilters(parseView(rest)).length).toBe(6);
  }
});

test("filters by attributes have the labels of attributes, and days in words", () => {
  const attribute = (name: string, type: "date" | "number" | "boolean", label?: string) => ({
    ...{ name, type, count: 1, values: [] },
    ...(label !== undefined && { label }),
  });
  const attributes = [
    attribute("renewalDate", "date"),
    attribute("gics", "number", "GICS code"),
    attribute("trial", "boolean"),
  ];
  const address =
    "attributes.renewalDate.lte=90d&attributes.renewalDate.gte=2026-05-01&attributes.gics=1200&attributes.trial=true&attributes.ownerId=ann";
  const texts = activeFilters(parseView(new URLSearchParams(address)), attributes).map(({ text }) => text);
  expect(texts).toEqual([
    "Renewal date is at the latest in 90 days",
    "Renewal date is at the earliest May 1, 2026",
    "GICS code is 1,200",
    "Trial is yes",
    "Owner id is ann",
  ]);
});
