import { expect, test } from "bun:test";
import { revenueCorrection, sumByTier, type TierRow } from "../../src/account-counts/revenue.ts";
import type { Tenant } from "../../src/core/tenant/tenant.ts";
import { Random } from "../support/random.ts";
import { day, healthWorld } from "./health-world.ts";

/** A health world whose stored sums can be read and compared with the accounts. */
async function revenueWorld() {
  const here = await healthWorld();
  return {
    ...here,
    async storedMrr() {
      const [row] = await here.rows<{ mrr: number }>(
        "SELECT sum(scaled_mrr) * 1099511627776 AS mrr FROM account_counts WHERE count > 0",
      );
      return row?.mrr;
    },
    /** The tiers of the first organization, computed from the rows. */
    actual: () =>
      here.rows<TierRow>(
        "SELECT tier, count(*) AS accounts, sum(mrr) AS mrr FROM accounts WHERE organization_id = 1 GROUP BY 1",
      ),
    faults: () => here.faults(0),
  };
}

const byTier = (rows: TierRow[]) => rows.toSorted((a, b) => String(a.tier).localeCompare(String(b.tier)));

test("after random changes the stored sums are those of the accounts, to 1e-9 of their value", async () => {
  const { account, change, call, pass, tenant, actual, faults, textOf, now } = await revenueWorld();
  const random = new Random(7);
  const ids: number[] = [];
  const seenTiers = new Set<string | null>();
  for (let step = 0; step < 400; step += 1) {
    const id = random.of(ids.length > 0 ? ids : [0]);
    const mrr = random.below(1_000_000) / 100 - 2_000;
    const kind = ids.length < 5 ? 0 : random.below(6);
    const status = random.of(["active", "onboarding", "churned", "inactive"]);
    const contactActivityAt = textOf(now() - random.below(40) * day);
    if (kind === 0) ids.push((await account({ name: "Acme", mrr })).id);
    else if (kind === 1) await change({ mrr }, id);
    else if (kind === 2) await change({ status, mrr }, id);
    else if (kind === 3) await change({ contactActivityAt }, id);
    else if (kind === 4) pass(random.below(3) * day);
    else await call("DELETE", `/api/v1/accounts/${ids.splice(ids.indexOf(id), 1)[0]}`);
    if (step % 10 > 0) continue;
    await tenant().runJob("scores");
    const [stored, counted] = [byTier(await tenant().read(sumByTier)), byTier(await actual())];
    expect(stored.map(({ tier, accounts }) => [tier, accounts])).toEqual(
      counted.map(({ tier, accounts }) => [tier, accounts]),
    );
    for (const [i, { tier, mrr }] of stored.entries()) {
      seenTiers.add(tier);
      const sum = counted[i]?.mrr ?? Number.NaN;
      expect(Math.abs(mrr - sum)).toBeLessThanOrEqual(1e-9 * Math.abs(sum));
    }
  }
  expect(seenTiers.size).toBe(5);
  expect(await faults()).toEqual([]);
});

/** Accounts with a revenue of 1,000.75, whose stored sum is 0 because one had a revenue of 1e30. */
async function driftedWorld() {
  const here = await revenueWorld();
  await here.account({ name: "Acme", mrr: 1000.5 });
  await here.account({ name: "Globex", mrr: 1e30 });
  await here.change({ mrr: 0.25 }, 2);
  expect(await here.storedMrr()).toBe(0);
  return here;
}

test("a sum that lost digits is computed from the accounts, until the job has corrected the stored one", async () => {
  const { call, jobs, tenant, storedMrr, faults } = await driftedWorld();
  const revenue = async () => (await call("GET", "/api/v1/health/summary")).body.data.tiers.at(-1).mrr;
  expect(await revenue()).toBe(1000.75);
  expect(await faults()).toEqual([]);
  await jobs.steps["revenue sums"]?.(tenant());
  expect(await storedMrr()).toBe(1000.75);
  expect(await revenue()).toBe(1000.75);
  expect(await faults()).toEqual([]);
});

test("the correction keeps a change that is committed between its read and its write", async () => {
  const { account, change, tenant, storedMrr, faults } = await driftedWorld();
  const delayed = {
    read: (fn: Parameters<Tenant["read"]>[0]) => tenant().read(fn),
    readOne: (fn: Parameters<Tenant["readOne"]>[0]) => tenant().readOne(fn),
    async write(fn: Parameters<Tenant["write"]>[0]) {
      await change({ mrr: 500.5 }, 1);
      await account({ name: "Initech", mrr: 7 });
      return tenant().write(fn);
    },
  };
  // Safe: the job reads and writes only.
  await revenueCorrection()(delayed as unknown as Tenant);
  expect(await storedMrr()).toBe(507.75);
  expect(await faults()).toEqual([]);
});

test("two requests for the correction at the same time correct the sum once", async () => {
  const { jobs, tenant, storedMrr } = await driftedWorld();
  await Promise.all([1, 2].map(() => jobs.steps["revenue sums"]?.(tenant())));
  expect(await storedMrr()).toBe(1000.75);
});

test("a sum that lost digits is found by the check when its stored error is too small", async () => {
  const { execute, faults } = await driftedWorld();
  await execute("UPDATE account_counts SET mrr_error = 0");
  // SQLite writes a number that may have a fraction with one.
  expect(await faults()).toEqual([
    expect.stringMatching(
      /^organization 1: account_counts has the revenue 0(?:\.0)? of tier none, the table accounts 1000\.75$/,
    ),
  ]);
});

test("revenues that cancel out are summed from the accounts, and the job corrects them once until they change", async () => {
  const { account, call, jobs, tenant, engine, faults } = await revenueWorld();
  await account({ name: "Acme", mrr: 1e17 });
  await account({ name: "Globex", mrr: 1 });
  await account({ name: "Initech", mrr: -1e17, status: "onboarding" });
  const revenue = async () => (await call("GET", "/api/v1/health/summary")).body.data.tiers.at(-1).mrr;
  expect(await revenue()).toBe(1);
  let writes = 0;
  const write = engine.write;
  engine.write = (...parameters) => {
    writes += 1;
    return write(...parameters);
  };
  for (let run = 0; run < 3; run += 1) await jobs.steps["revenue sums"]?.(tenant());
  expect(writes).toBe(1);
  await account({ name: "Hooli", mrr: 2 });
  const before = writes;
  for (let run = 0; run < 3; run += 1) await jobs.steps["revenue sums"]?.(tenant());
  expect([writes - before, await revenue(), await faults()]).toEqual([1, 3, []]);
});

test.each([5e-324, 1e-310, 1e-305, 1e-292, 2.5e-290])(
  "a revenue so small that a part of it is no number is stored, changed and summed: %p",
  async (mrr) => {
    const { account, call, change, jobs, tenant, faults } = await revenueWorld();
    expect(await account({ name: "Acme", mrr })).toMatchObject({ mrr });
    expect(await change({ mrr: -mrr })).toMatchObject({ mrr: -mrr });
    await account({ name: "Globex", mrr: 1e30 });
    await change({ mrr: 2 }, 2);
    for (let run = 0; run < 2; run += 1) {
      expect((await call("GET", "/api/v1/health/summary")).body.data.tiers.at(-1).mrr).toBe(2);
      expect(await faults()).toEqual([]);
      await jobs.steps["revenue sums"]?.(tenant());
    }
    await call("DELETE", "/api/v1/accounts/2");
    await jobs.steps["revenue sums"]?.(tenant());
    expect((await call("GET", "/api/v1/health/summary")).body.data.tiers.at(-1).mrr).toBeCloseTo(0, 10);
  },
);
