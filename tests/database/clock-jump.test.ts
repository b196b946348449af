import { expect, test } from "bun:test";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { createAccount, updateAccount } from "../../src/accounts/store.ts";
import { Tenant } from "../../src/core/tenant/tenant.ts";
import { reactions } from "../../src/reactions.ts";
import { type Body, beginning, world } from "../support/world.ts";

const hour = 3_600_000;
const year = 365 * 24 * hour;
const accounts = "/api/v1/accounts";

/** The timestamps of the changes, in the order of the feed. */
const timesOf = (changes: Body[]) => changes.map(({ time }) => Date.parse(String(time)) - beginning);

test("after a jump ahead is undone, the time follows the clock again, and updatedAt still increases", async () => {
  const { account, call, engine, file, first, now, jump } = await world();
  const { id } = await account({ name: "Acme" });
  jump(year);
  await call("PATCH", `${accounts}/${id}`, { mrr: 1 });
  jump(hour - year);
  for (const mrr of [2, 3]) await call("PATCH", `${accounts}/${id}`, { mrr });
  expect(engine.now()).toBe(beginning + hour);
  const { data } = (await call("GET", "/api/v1/changes?after=0")).body;
  expect(timesOf(data)).toEqual([0, year, hour, hour]);
  await engine.close();

  const restarted = openDatabase(file, { clock: now });
  try {
    const services = { engine: restarted, reactions, runJob: async () => {} };
    const caller = { organizationId: first.id, actor: { type: "cli" as const }, requestId: null };
    const tenant = new Tenant(services, caller);
    const created = await tenant.write((tx) => createAccount(tx, { name: "New" }));
    expect(created.createdAt).toBe(beginning + hour);
    // `updatedAt` strictly increases for each row, also where the stored one is in the future.
    const updated = await tenant.write((tx) => updateAccount(tx, id, { mrr: 4 }));
    expect(updated.updatedAt).toBe(beginning + year + 3);
  } finally {
    await restarted.close();
  }
});
