import { expect, test } from "bun:test";
import { isSecret } from "../src/api-keys/secret.ts";
import { mainPlans, type Plan } from "./organizations.ts";

const sizesOf = (plans: Plan[]) => plans.map(({ accounts }) => accounts);
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

test.each([
  [false, 1_000_000, [100_000, 10_000, 890], 1_002],
  [true, 100_000, [10_000, 1_000, 890], 102],
])(
  "quick %p: %d accounts, in one large organization, a medium and many small ones",
  (quick, all, first, count) => {
    const plans = mainPlans(quick);
    expect(sum(sizesOf(plans))).toBe(all);
    expect(sizesOf(plans).slice(0, 3)).toEqual(first);
    expect(plans).toHaveLength(count);
    expect(new Set(sizesOf(plans).slice(2))).toEqual(new Set([890]));
    expect(plans.map(({ firstAccountId }) => firstAccountId)).toEqual(
      plans.map((_, i) => 1 + sum(sizesOf(plans.slice(0, i)))),
    );
  },
);

test("every account of the large organizations has sub-resources, and one in ten of the small ones", () => {
  const [large, medium, ...small] = mainPlans(false).map(({ accountsPerParent }) => accountsPerParent);
  expect([large, medium, ...new Set(small)]).toEqual([1, 1, 10]);
});

test("each organization has its own valid key, which is always the same", () => {
  const keys = mainPlans(false).map(({ key }) => key);
  expect(keys.filter((key) => !isSecret(key))).toEqual([]);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys[0]).toEndWith("0gRRAn");
});
