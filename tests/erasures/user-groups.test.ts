import { expect, test } from "bun:test";
import type { TenantStatement } from "../../src/core/tenant/statements.ts";
import { UserGroups } from "../../src/erasures/usage.ts";
import { Random } from "../support/random.ts";

// Safe: groups do not run it.
const replace = undefined as unknown as TenantStatement<unknown>;

test("the users of more days than fit in memory are found in several ranges, each user once and in one group", () => {
  const random = new Random(3);
  const users = Array.from({ length: 500 }, (_, i) => {
    const [day, event] = [random.below(20), `event ${random.below(3)}`];
    return { accountId: i, day, event, userId: `user ${random.below(2)}`, replace };
  });
  const ids: number[] = [];
  const groupKeys: string[] = [];
  let rangeCount = 0;
  for (let firstDay = 0; Number.isFinite(firstDay); rangeCount += 1) {
    const found = new UserGroups(100);
    for (const user of users) if (user.day >= firstDay) found.add(user);
    const groups = found.groups();
    expect(found.count).toBe(groups.reduce((sum, group) => sum + group.users.length, 0));
    for (const group of groups) {
      const keys = group.users.map(({ day, event, userId }) => `${day} ${event} ${userId}`);
      expect(new Set(keys).size).toBe(1);
      groupKeys.push(keys[0] ?? "");
      ids.push(...group.users.map(({ accountId }) => accountId));
    }
    firstDay = found.lastDay + 1;
  }
  expect(rangeCount).toBeGreaterThan(3);
  expect(ids.sort((a, b) => a - b)).toEqual(users.map(({ accountId }) => accountId));
  expect(new Set(groupKeys).size).toBe(groupKeys.length);
});

test("a day with more users than fit in memory is not split, nor a group of thousands of accounts", () => {
  const found = new UserGroups(100);
  for (let accountId = 0; accountId < 2_500; accountId += 1)
    for (const day of [1, 2]) found.add({ accountId, day, event: "login", userId: "user", replace });
  expect([found.count, found.lastDay]).toEqual([2_500, 1]);
  expect(found.groups().map(({ day, userId, users }) => [day, userId, users.length])).toEqual([
    [1, "user", 2_500],
  ]);
});
