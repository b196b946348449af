import { expect, test } from "bun:test";
import { deleteAccount } from "../../src/accounts/store.ts";
import { world } from "../support/world.ts";

test("the delete of an account with many contacts and attributes lets reads run every few milliseconds", async () => {
  const here = await world();
  const attributes = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`text${i}`, `value ${i}`]));
  const contacts = Array.from({ length: 500 }, (_, i) => ({ externalId: `c${i}`, name: "Ada", attributes }));
  for (let from = 0; from < contacts.length; from += 50) {
    const accounts = [{ externalId: "acme", name: "Acme", contacts: contacts.slice(from, from + 50) }];
    expect((await here.call("POST", "/api/v1/accounts/batch", { accounts })).body.data.failed).toBe(0);
  }
  let [pauseCount, pausedMilliseconds] = [0, 0];
  const start = performance.now();
  await here.tenant().write(async (tx) => {
    const pause = tx.pause.bind(tx);
    tx.pause = async () => {
      const pausedAt = performance.now();
      await pause();
      pauseCount += 1;
      pausedMilliseconds += performance.now() - pausedAt;
    };
    await deleteAccount(tx, 1);
  });
  const ranMilliseconds = performance.now() - start - pausedMilliseconds;
  // 25,000 attributes take more than 40 ms on any machine.
  expect(pauseCount).toBeGreaterThan(4);
  expect(ranMilliseconds / pauseCount).toBeLessThan(20);
  expect(await here.rows("SELECT * FROM attribute_values")).toEqual([]);
  expect(await here.faults(0)).toEqual([]);
}, 60_000);
