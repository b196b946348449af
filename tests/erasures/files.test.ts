import { expect, test } from "bun:test";
import { setOrganizationTraits } from "../../src/organizations/settings.ts";
import { email, erasureWorld, marker, userId } from "./erasure-world.ts";

test("after an erasure, neither the file nor the WAL has a value of the person", async () => {
  const here = await erasureWorld();
  for (let i = 0; i < 10; i += 1) {
    await here.storeContact(i, { address: `${i === 0 ? "" : `${i}.`}${email}` });
    await here.send("POST", "/api/v1/accounts", { name: `Account ${i}` });
  }
  await here.storeEvents();
  expect(here.occurrences()).toBeGreaterThan(66);
  for (let i = 0; i < 10; i += 1)
    expect((await here.erase({ email: `${i === 0 ? "" : `${i}.`}${email}` })).status).toBe(200);
  expect((await here.erase({ userId })).body.data.events).toBe(3);
  expect(here.occurrences()).toBe(0);
});

test("after an erasure by user id, the file has neither the linked address nor a messageId with the user id", async () => {
  const here = await erasureWorld();
  await setOrganizationTraits(here.engine, here.first.id, true);
  const path = "/api/v1/accounts/1/contacts";
  await here.send("POST", path, { name: marker, email, externalId: marker });
  const event = { event: "login", externalId: "acme" };
  const events = [
    { ...event, userId: marker, messageId: `${marker}/1` },
    { ...event, userId: email, messageId: `sent ${email}` },
    { ...event, userId: marker, externalId: "unknown", messageId: `${marker}/2` },
  ];
  await here.send("POST", "/api/v1/events", { events });
  expect(here.occurrences()).toBeGreaterThan(10);
  expect((await here.erase({ userId: marker })).body.data).toMatchObject({ contacts: 1, events: 3 });
  expect(here.occurrences()).toBe(0);
  expect(await here.send("POST", "/api/v1/events", { events })).toMatchObject({ duplicates: 3 });
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
