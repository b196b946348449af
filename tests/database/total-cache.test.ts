import { describe, expect, test } from "bun:test";
import { TotalCache } from "../../db/sqlite/reads/total-cache.ts";
import { statementNamed } from "../../db/statements.ts";
import "../../src/accounts/list.ts";

const count = statementNamed("accounts.list/countAll/name/asc/range:mrr");
const page = statementNamed("accounts.list/page/name/asc/range:mrr");
const values = { organizationId: 1, mrrLow: 0, mrrHigh: 10, limit: 25, offset: 0 };
const row = { count: 7 };

/** A cache with a total of organization 1, counted after the first commit. */
function filled(): TotalCache {
  const totals = new TotalCache();
  totals.markCommit([1, 2]);
  totals.set(count, values, totals.commitCount, row);
  return totals;
}

describe("a total", () => {
  test("is found until the organization's next commit", () => {
    const totals = filled();
    totals.markCommit([2]);
    expect(totals.get(count, values, totals.commitCount)).toEqual(row);
    totals.markCommit([2, 1]);
    expect(totals.get(count, values, totals.commitCount)).toBeUndefined();
  });

  test("is not found after a commit of rows of no organization", () => {
    const totals = filled();
    totals.markCommit([0]);
    expect(totals.get(count, values, totals.commitCount)).toBeUndefined();
  });

  test("is not found by a snapshot from before the organization's last commit", () => {
    const totals = filled();
    expect(totals.get(count, values, totals.commitCount - 1)).toBeUndefined();
  });

  test("of a snapshot from before the organization's last commit is not found", () => {
    const totals = filled();
    totals.markCommit([1]);
    totals.set(count, values, totals.commitCount - 1, row);
    expect(totals.get(count, values, totals.commitCount)).toBeUndefined();
  });

  test.each([
    ["another organization", { organizationId: 2 }],
    ["other filters", { mrrHigh: 11 }],
  ])("is not found for %s", (_, other) => {
    const totals = filled();
    expect(totals.get(count, { ...values, ...other }, totals.commitCount)).toBeUndefined();
  });
});

test("the rows of a page are not kept", () => {
  const totals = filled();
  totals.set(page, values, totals.commitCount, row);
  expect(totals.get(page, values, totals.commitCount)).toBeUndefined();
});

test("beyond 1,000 totals the oldest one is removed", () => {
  const totals = filled();
  const store = (mrrHigh: number) => totals.set(count, { ...values, mrrHigh }, totals.commitCount, row);
  for (let i = 1; i < 1_000; i++) store(100 + i);
  expect(totals.get(count, values, totals.commitCount)).toEqual(row);
  store(99);
  expect(totals.get(count, values, totals.commitCount)).toBeUndefined();
  expect(totals.get(count, { ...values, mrrHigh: 99 }, totals.commitCount)).toEqual(row);
});
