import { expect, test } from "bun:test";
import { beginningText } from "../support/world.ts";
import { healthWorld } from "./health-world.ts";

const path = "/api/v1/health/summary";

test("GET returns the accounts and the sum of their mrr by tier: the four tiers, then the accounts without a score; and the scores in ten bands", async () => {
  const { call, scored } = await healthWorld();
  const mrrByScore = { 100: 1000.5, 80: 250.25, 60: 7, 40: 0, 20: -12.5 };
  for (const [score, mrr] of Object.entries(mrrByScore)) await scored(Number(score), { mrr });
  await scored(60, { mrr: 3 });
  for (const mrr of [4, 5.5, 6]) await scored(null, { mrr });
  const reply = await call("GET", path);
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    data: {
      asOf: beginningText,
      tiers: [
        { tier: "healthy", accounts: 2, mrr: 1250.75 },
        { tier: "attention", accounts: 2, mrr: 10 },
        { tier: "at_risk", accounts: 1, mrr: 0 },
        { tier: "critical", accounts: 1, mrr: -12.5 },
        { tier: null, accounts: 3, mrr: 15.5 },
      ],
      statuses: [
        { status: "active", accounts: 9, mrr: 1263.75 },
        { status: "onboarding", accounts: 0, mrr: 0 },
        { status: "churned", accounts: 0, mrr: 0 },
        { status: "inactive", accounts: 0, mrr: 0 },
      ],
      distribution: [0, 0, 1, 0, 1, 0, 2, 0, 1, 1],
    },
  });
});

test("GET returns the accounts and the sum of their mrr by status", async () => {
  const { call, scored, change, account } = await healthWorld();
  await scored(100, { mrr: 10.1 });
  await scored(60, { mrr: 0.2, status: "onboarding" });
  await account({ name: "A", mrr: 7, status: "churned" });
  await account({ name: "B", mrr: -1, status: "churned" });
  const statuses = async () =>
    Object.fromEntries(
      (await call("GET", path)).body.data.statuses.map(
        ({ status, ...sum }: { status: string; accounts: number; mrr: number }) => [status, sum],
      ),
    );
  expect(await statuses()).toEqual({
    active: { accounts: 1, mrr: 10.1 },
    onboarding: { accounts: 1, mrr: 0.2 },
    churned: { accounts: 2, mrr: 6 },
    inactive: { accounts: 0, mrr: 0 },
  });
  await change({ status: "inactive" }, 1);
  expect(await statuses()).toMatchObject({
    active: { accounts: 0, mrr: 0 },
    inactive: { accounts: 1, mrr: 10.1 },
  });
});

test("sums of mrr are rounded to the cent", async () => {
  const { call, scored, change } = await healthWorld();
  const sums = async () =>
    (await call("GET", path)).body.data.tiers.map(({ mrr }: { mrr: number }) => mrr).slice(0, 2);
  for (const mrr of [0.1, 0.2, 1234.26]) await scored(100, { mrr });
  for (const mrr of [1e15 / 4, 0.25]) await scored(60, { mrr });
  expect(await sums()).toEqual([1234.56, 250_000_000_000_000.25]);
  // 0.1 + 0.2 is 0.30000000000000004.
  await change({ mrr: 0 }, 3);
  expect(await sums()).toEqual([0.3, 250_000_000_000_000.25]);
});

test("an organization without accounts has all tiers, with zeros", async () => {
  const { call, scored, second } = await healthWorld();
  await scored(100, { mrr: 5 }, { key: second.key });
  const tiers = ["healthy", "attention", "at_risk", "critical", null];
  const empty = tiers.map((tier) => ({ tier, accounts: 0, mrr: 0 }));
  const { tiers: found, distribution } = (await call("GET", path)).body.data;
  expect([found, distribution]).toEqual([empty, new Array(10).fill(0)]);
});

test("sums beyond the largest number are the largest number", async () => {
  const { call, scored } = await healthWorld();
  for (const mrr of [1.7e308, 1.7e308]) await scored(100, { mrr });
  for (const mrr of [-1.7e308, -1.7e308]) await scored(60, { mrr });
  for (const mrr of [1.7e308, 1.7e308, -1.7e308]) await scored(40, { mrr });
  const { tiers } = (await call("GET", path)).body.data;
  const sums = tiers.map(({ mrr }: { mrr: number }) => mrr);
  expect(sums.slice(0, 2)).toEqual([Number.MAX_VALUE, -Number.MAX_VALUE]);
  expect(sums[2]).toBeNumber();
});
