import { expect, test } from "bun:test";
import { email, erasureWorld, userId } from "./erasure-world.ts";

test("after an erasure, neither the file nor the WAL has a value of the person", async () => {
  const here = await erasureWorld();
  for (let i = 0; i < 30; i += 1) {
    await here.storeContact(i, { address: `${i === 0 ? "" : `${i}.`}${email}` });
    await here.send("POST", "/api/v1/accounts", { name: `Account ${i}` });
  }
  await here.storeEvents();
  expect(here.occurrences()).toBeGreaterThan(200);
  for (let i = 0; i < 30; i += 1)
    expect((await here.erase({ email: `${i === 0 ? "" : `${i}.`}${email}` })).status).toBe(200);
  expect((await here.erase({ userId })).body.data.events).toBe(3);
  expect(here.occurrences()).toBe(0);
});

test("other writes run between the steps of an erasure", async () => {
  const here = await erasureWorld();
  const events = Array.from({ length: 1_000 }, (_, i) => ({
    ...{ event: `event ${i % 7}`, externalId: "acme", userId: i % 2 ? userId : `user ${i}` },
  }));
  for (let i = 0; i < 5; i += 1) await here.send("POST", "/api/v1/events", { events });
  let isDone = false;
  const erasing = here.erase({ userId }).finally(() => {
    isDone = true;
  });
  let writtenCount = 0;
  for (; !isDone; writtenCount += 1) await here.account({ name: `Meanwhile ${writtenCount}` });
  expect((await erasing).body.data).toMatchObject({ events: 2_500, usageUsers: 7 });
  // There are 25 transactions of 100 events. On a busy machine, a write can take longer than the pause after one.
  expect(writtenCount).toBeGreaterThan(5);
});
