import { describe, expect, test } from "bun:test";
import { TotalCache } from "../../db/sqlite/total-cache.ts";
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
  totals.keep(count, values, totals.commitCount, row);
  return totals;
}

describe("a total", () => {
  test("is found until the organization's next commit", () => {
    const totals = filled();
    totals.markCommit([2]);
    expect(totals.find(count, values, totals.commitCount)).toEqual(row);
    totals.markCommit([2, 1]);
    expect(totals.find(count, values, totals.commitCount)).toBeUndefined();
  });

  test("is not found after a commit of rows of no organization", () => {
    const totals = filled();
    totals.markCommit([0]);
    expect(totals.find(count, values, totals.commitCount)).toBeUndefined();
  });

  test("is not found by a snapshot from before the organization's last commit", () => {
    const totals = filled();
    expect(totals.find(count, values, totals.commitCount - 1)).toBeUndefined();
  });

  test("of a snapshot from before the organization's last commit is not found", () => {
    const totals = filled();
    totals.markCommit([1]);
    totals.keep(count, values, totals.commitCount - 1, row);
    expect(totals.find(count, values, totals.commitCount)).toBeUndefined();
  });

  test.each([
    ["another organization", { organizationId: 2 }],
    ["other filters", { mrrHigh: 11 }],
  ])("is not found for %s", (_, other) => {
    const totals = filled();
    expect(totals.find(count, { ...values, ...other }, totals.commitCount)).toBeUndefined();
  });
});

test("the rows of a page are not kept", () => {
  const totals = filled();
  totals.keep(page, values, totals.commitCount, row);
  expect(totals.find(page, values, totals.commitCount)).toBeUndefined();
});

test("beyond 1,000 totals the oldest one is removed", () => {
  const totals = filled();
  const keep = (mrrHigh: number) => totals.keep(count, { ...values, mrrHigh }, totals.commitCount, row);
  for (let i = 1; i < 1_000; i++) keep(100 + i);
  expect(totals.find(count, values, totals.commitCount)).toEqual(row);
  keep(99);
  expect(totals.find(count, values, totals.commitCount)).toBeUndefined();
  expect(totals.find(count, { ...values, mrrHigh: 99 }, totals.commitCount)).toEqual(row);
});
