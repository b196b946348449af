import { expect, test } from "bun:test";
import { serializeQuery } from "../src/queries.ts";

test("filters by attributes are parameters; lists are escaped, undefined and null are left out", () => {
  const attributes = {
    plan: undefined,
    owner: null,
    "seats.gt": 5,
    "attributes.size": "x",
    "city.in": ["Ulm, Alb", "a\\b"],
  };
  expect(
    decodeURIComponent(
      serializeQuery({ search: "a&b", tier: ["at_risk", "healthy"], page: null, attributes }),
    ),
  ).toBe(
    "search=a&b&tier=at_risk,healthy&attributes.seats.gt=5&attributes.size=x&attributes.city.in=Ulm\\, Alb,a\\\\b",
  );
});
