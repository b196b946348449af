import { expect, test } from "bun:test";
import { sumByTier, type TierRow } from "../../src/health-scores/summary.ts";
import { Random } from "../support/random.ts";
import { day, healthWorld } from "./health-world.ts";

const byTier = (rows: TierRow[]) => rows.toSorted((a, b) => String(a.tier).localeCompare(String(b.tier)));

test("after random changes the sums are those of the accounts, to 1e-9 of their value", async () => {
  const { account, change, call, pass, tenant, rows, faults, textOf, now } = await healthWorld();
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
    const actual = await rows<TierRow>(
      "SELECT tier, count(*) AS accounts, sum(mrr) AS mrr FROM accounts WHERE organization_id = 1 GROUP BY 1",
    );
    const [found, counted] = [byTier((await tenant().read(sumByTier)).tiers), byTier(actual)];
    expect(found.map(({ tier, accounts }) => [tier, accounts])).toEqual(
      counted.map(({ tier, accounts }) => [tier, accounts]),
    );
    for (const [i, { tier, mrr }] of found.entries()) {
      seenTiers.add(tier);
      const sum = counted[i]?.mrr ?? Number.NaN;
      expect(Math.abs(mrr - sum)).toBeLessThanOrEqual(1e-9 * Math.abs(sum));
    }
  }
  expect(seenTiers.size).toBe(5);
  expect(await faults(0)).toEqual([]);
});

test("revenues that cancel out are summed exactly, and changed ones leave nothing", async () => {
  const { account, change, call } = await healthWorld();
  const revenue = async () => (await call("GET", "/api/v1/health/summary")).body.data.tiers.at(-1).mrr;
  await account({ name: "Acme", mrr: 1e17 });
  await account({ name: "Globex", mrr: 1 });
  await account({ name: "Initech", mrr: -1e17, status: "onboarding" });
  expect(await revenue()).toBe(1);
  await change({ mrr: 1000.5 });
  await change({ mrr: 0.25 }, 3);
  expect(await revenue()).toBe(1001.75);
});

test.each([5e-324, 1e-310, 1e-305, 1e-292, 2.5e-290])(
  "a revenue so small that a part of it is no number is stored, changed and summed: %p",
  async (mrr) => {
    const { account, call, change, faults } = await healthWorld();
    expect(await account({ name: "Acme", mrr })).toMatchObject({ mrr });
    expect(await change({ mrr: -mrr })).toMatchObject({ mrr: -mrr });
    await account({ name: "Globex", mrr: 1e30 });
    await change({ mrr: 2 }, 2);
    expect((await call("GET", "/api/v1/health/summary")).body.data.tiers.at(-1).mrr).toBe(2);
    await call("DELETE", "/api/v1/accounts/2");
    expect((await call("GET", "/api/v1/health/summary")).body.data.tiers.at(-1).mrr).toBeCloseTo(0, 10);
    expect(await faults(0)).toEqual([]);
  },
);
