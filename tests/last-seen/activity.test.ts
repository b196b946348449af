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

test("the latest timestamp of a source in one request is stored, in any order of the items", async () => {
  const { seen, contact, ago } = await activityWorld();
  await seen([5, 3, 4].map((days) => ({ accountId: 1, source: "crm", lastSeenAt: ago(days) })));
  expect(await contact()).toEqual({ at: ago(3), source: "crm" });
});

test("contactActivityAt has priority over every platform, also if it is older, until it is null", async () => {
  const { see, change, contact, ago } = await activityWorld();
  await see("crm", 3);
  await change({ contactActivityAt: ago(40) });
  expect(await contact()).toEqual({ at: ago(40), source: "api" });
  await see("mail", 0);
  expect(await contact()).toEqual({ at: ago(40), source: "api" });
  await change({ name: "Globex" });
  expect(await contact()).toEqual({ at: ago(40), source: "api" });
  await change({ contactActivityAt: null });
  expect(await contact()).toEqual({ at: ago(0), source: "mail" });
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
