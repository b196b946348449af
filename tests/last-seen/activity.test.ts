import { expect, test } from "bun:test";
import { day, healthWorld } from "../health-scores/health-world.ts";
import { beginning } from "../support/world.ts";

/** A health world with one account; `see` sends a last-seen timestamp of some days ago. */
async function activityWorld() {
  const here = await healthWorld();
  await here.account({ name: "Acme" });
  const ago = (days: number) => here.textOf(beginning - days * day);
  return {
    ...here,
    ago,
    see: (source: string, days: number) => here.seen([{ accountId: 1, source, lastSeenAt: ago(days) }]),
    contact: async () => (await here.health()).contactActivity,
  };
}

test("only the latest timestamp of each source is stored: an older one does not replace it", async () => {
  const { see, contact, ago } = await activityWorld();
  await see("crm", 5);
  expect(await contact()).toEqual({ at: ago(5), source: "crm" });
  await see("crm", 4);
  expect(await contact()).toEqual({ at: ago(4), source: "crm" });
  expect((await see("crm", 6)).body.data).toEqual({ accepted: 1, rejected: 0, items: [] });
  expect(await contact()).toEqual({ at: ago(4), source: "crm" });
});

test("a last-seen timestamp changes the score, but neither the account nor its updatedAt", async () => {
  const { see, account, call, list, pass } = await activityWorld();
  await account({ name: "Globex" });
  const before = await call("GET", "/api/v1/accounts/1");
  pass(1000);
  await see("crm", 8);
  const scores = async () =>
    (await list("?sortBy=name")).body.data.map((row: { score: number | null }) => row.score);
  expect(await scores()).toEqual([60, null]);
  expect((await call("GET", "/api/v1/accounts/1")).text).toBe(before.text);
  await see("crm", 2);
  expect(await scores()).toEqual([100, null]);
});
