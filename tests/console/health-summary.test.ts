import { expect, test } from "bun:test";
import { withoutFormer } from "../../src/console/app/pages/overview/tier-totals.ts";

test("the tiers of the overview are without churned and inactive accounts", () => {
  const summary: Parameters<typeof withoutFormer>[0] = {
    tiers: [
      { tier: "healthy", accounts: 2, mrr: 20 },
      { tier: null, accounts: 7, mrr: 70 },
    ],
    statuses: [
      { status: "active", accounts: 4, mrr: 40 },
      { status: "onboarding", accounts: 1, mrr: 10 },
      { status: "churned", accounts: 3, mrr: 35 },
      { status: "inactive", accounts: 1, mrr: 5 },
    ],
  };
  expect(withoutFormer(summary).tiers).toEqual([
    { tier: "healthy", accounts: 2, mrr: 20 },
    { tier: null, accounts: 3, mrr: 30 },
  ]);
});
