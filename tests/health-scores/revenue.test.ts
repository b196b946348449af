import { expect, test } from "bun:test";
import { healthWorld } from "./health-world.ts";

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
