import { expect, test } from "bun:test";
import { createAccount, deleteAccount, updateAccount } from "../../src/accounts/store.ts";
import { type Combination, CombinedWrites } from "../../src/core/tenant/combined-writes.ts";
import { world } from "../support/world.ts";

type Written = string[] & { pause(): Promise<void> };
const nothing = (): Written => Object.assign([], { pause: async () => {} });
const joined: Combination<Written, { key: string; text: string }> = {
  keyOf: ({ key }) => key,
  merge: (sum, { text }) => ({ ...sum, text: sum.text + text }),
  write: async (written, { key, text }) => void written.push(`${key}=${text}`),
};

test("items with the same key are written once, when the function has ended", async () => {
  const writes = new CombinedWrites<Written>();
  const written = nothing();
  const result = await writes.complete(written, async () => {
    for (const [key, text] of [
      ["a", "1"],
      ["b", "2"],
      ["a", "3"],
    ] as const)
      writes.add(joined, { key, text });
    return [...written];
  });
  expect([result, [...written]]).toEqual([[], ["a=13", "b=2"]]);
});

test("reads run between the writes of many items", async () => {
  const slow: Combination<Written, { key: string; text: string }> = {
    ...joined,
    write: async () => Bun.sleepSync(2),
  };
  const writes = new CombinedWrites<Written>();
  let pauseCount = 0;
  const pause = async () => {
    pauseCount += 1;
  };
  await writes.complete(Object.assign([], { pause }), async () => {
    for (let i = 0; i < 10; i += 1) writes.add(slow, { key: `${i}`, text: "" });
  });
  expect(pauseCount).toBeWithin(3, 11);
});

test("what a failed attempt has added, or an earlier run of it, is not written", async () => {
  const writes = new CombinedWrites<Written>();
  const written = nothing();
  const add = async (text: string) => writes.add(joined, { key: "a", text });
  const twice = async <T>(work: () => Promise<T>) => {
    await work();
    return work();
  };
  await writes.complete(written, async () => {
    await add("1");
    await writes.attempt(twice, () => add("2"));
    const failed = writes.attempt(twice, async () => {
      await add("3");
      await writes.write(nothing());
      throw new Error("refused");
    });
    await expect(failed).rejects.toThrow("refused");
    await add("4");
  });
  expect([...written]).toEqual(["a=124"]);
});

test("counts and sums are right after creates, updates and deletes of one transaction, and after failed ones", async () => {
  const here = await world();
  await here.tenant().write(async (tx) => {
    const first = await createAccount(tx, { name: "A", externalId: "a", mrr: 1e20, status: "churned" });
    await updateAccount(tx, first.id, { mrr: 2e20 });
    await createAccount(tx, { name: "B", externalId: "b", mrr: 1, status: "churned" });
    await updateAccount(tx, first.id, { status: "inactive", mrr: 5 });
    await createAccount(tx, { name: "C", externalId: "c", mrr: 7 });
    await deleteAccount(tx, "a");
  });
  await here.tenant().write(async (tx) => {
    await createAccount(tx, { name: "D", externalId: "d", mrr: 3, status: "onboarding" });
    const failed = tx.attempt(async () => {
      const row = await createAccount(tx, { name: "E", externalId: "e", mrr: 1_000, status: "onboarding" });
      await updateAccount(tx, row.id, { mrr: 2_000 });
      await createAccount(tx, { name: "F", externalId: "d" });
    });
    await failed.catch((error: { code?: string }) => {
      if (error.code !== "external_id_conflict") throw error;
    });
  });
  const rows = "SELECT status, count FROM account_counts WHERE count > 0 ORDER BY 1";
  expect(await here.rows<object>(rows)).toEqual([
    { status: "active", count: 1 },
    { status: "churned", count: 1 },
    { status: "onboarding", count: 1 },
  ]);
  expect(await here.faults(0)).toEqual([]);
});

test("pending events are attached to every account that a batch creates", async () => {
  const here = await world();
  const externalIds = ["a", "b", "c", "d"];
  const events = externalIds.map((externalId) => ({ externalId, event: "login", messageId: externalId }));
  await here.call("POST", "/api/v1/events", { events: events.slice(1) });
  const accounts = externalIds.map((externalId) => ({ externalId, name: externalId }));
  expect((await here.call("POST", "/api/v1/accounts/batch", { accounts })).body.data.created).toBe(4);
  const attached =
    "SELECT a.external_id AS id FROM events AS e JOIN accounts AS a ON a.id = e.account_id ORDER BY 1";
  expect((await here.rows<{ id: string }>(attached)).map(({ id }) => id)).toEqual(["b", "c", "d"]);
});
