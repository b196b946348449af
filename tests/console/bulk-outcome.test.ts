import { expect, test } from "bun:test";
import { outcomeOf } from "../../src/console/app/pages/accounts/outcome.ts";

const selected = ["A", "B", "C", "D"].map((name, id) => ({ id, name, updatedAt: `before ${name}` }));

test("the results of a batch are changed and unchanged accounts, and failures with their reasons", () => {
  const results = [
    { status: 200, body: { data: { updatedAt: "later" } } },
    { status: 200, body: { data: { updatedAt: "before B" } } },
    { status: 404, body: { title: "Not found", detail: "account 2 was not found" } },
    { status: 204, body: null },
  ];
  // Safe: the members that are read.
  expect(outcomeOf(selected, results as Parameters<typeof outcomeOf>[1])).toEqual({
    changed: ["A", "D"],
    same: 1,
    failures: [{ name: "C", reason: "account 2 was not found" }],
  });
});
