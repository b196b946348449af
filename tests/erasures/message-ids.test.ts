import { expect, test } from "bun:test";
import { erasePerson } from "../../src/erasures/store.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { day } from "../events/event-world.ts";
import { email, erasureWorld, marker } from "./erasure-world.ts";

const event = { event: "login", externalId: "acme" };
const hash = expect.stringMatching(/^erased-[0-9a-f]{64}$/);

/** An erasure world with functions that send events, and read the stored message ids and keys. */
async function messageWorld() {
  const here = await erasureWorld();
  return {
    ...here,
    receive: (events: object[], key = here.first.key) =>
      here.call("POST", "/api/v1/events", { events }, { key }).then(({ body }) => body.data),
    messageIds: async () =>
      (await here.rows<{ id: string | null }>("SELECT message_id AS id FROM events ORDER BY events.id")).map(
        ({ id }) => id,
      ),
    keys: () =>
      here.rows(
        "SELECT organization_id, message_id_key AS key FROM organization_settings WHERE message_id_key IS NOT NULL ORDER BY organization_id",
      ),
    adminKeys: here.keys,
    totals: async () => (await here.usage()).map(({ event, count, users }) => [event, count, users]),
  };
}

test("a messageId with an identifier of the person as a token is replaced by a hash, and a second copy is a duplicate", async () => {
  const { receive, erase, messageIds, rows } = await messageWorld();
  const events = [
    { ...event, userId: "u1", messageId: "u1-2026-3" },
    { ...event, userId: "u1", messageId: `sent ${email.toUpperCase()}` },
    { ...event, userId: email.toUpperCase(), messageId: "U1" },
    { ...event, userId: "u1", messageId: "au1b" },
    { ...event, userId: "u1", messageId: "8" },
    { ...event, userId: "other", messageId: "u1" },
    { ...event, userId: "u1", externalId: "unknown", messageId: "u1 pending" },
  ];
  expect(await receive(events)).toMatchObject({ accepted: 6, parked: 1 });
  expect((await erase({ email, userId: "u1" })).body.data).toMatchObject({ events: 6 });
  expect(await messageIds()).toEqual([hash, hash, hash, "au1b", "8", "u1", hash]);
  const receipt = await receive([...events, { ...event, messageId: "new" }]);
  expect(receipt).toMatchObject({ accepted: 1, duplicates: 7 });
  expect(receipt.items).toContainEqual({ index: 6, code: "duplicate", detail: expect.any(String) });
  expect(await rows("SELECT count FROM unmatched_ids")).toEqual([{ count: 1 }]);
});

test("a second copy stays a duplicate when its account is known, and after further erasures", async () => {
  const { receive, erase, account, messageIds, keys } = await messageWorld();
  const pending = { ...event, externalId: "later", userId: "u1", messageId: "u1/1" };
  const other = { ...event, userId: "u2", messageId: "u2/1" };
  await receive([pending, other]);
  await erase({ userId: "u1" });
  const [key] = await keys();
  await account({ name: "Later", externalId: "later" });
  expect(await receive([pending])).toMatchObject({ duplicates: 1 });
  await erase({ userId: "u1" });
  await erase({ userId: "u2" });
  expect(await keys()).toEqual([key]);
  expect(await messageIds()).toEqual([hash, hash]);
  expect(await receive([other, pending, pending])).toMatchObject({ duplicates: 3 });
});

test("a second copy is a duplicate for 35 days, and then a new event, which can be erased again", async () => {
  const { receive, erase, pass, messageIds } = await messageWorld();
  const first = { ...event, userId: "u1", messageId: "u1-1" };
  await receive([first]);
  await erase({ userId: "u1" });
  pass(35 * day - 1);
  expect(await receive([first])).toMatchObject({ duplicates: 1 });
  pass(1);
  expect(await receive([first, first])).toMatchObject({ accepted: 1, duplicates: 1 });
  expect(await messageIds()).toEqual([null, "u1-1"]);
  expect((await erase({ userId: "u1" })).body.data).toMatchObject({ events: 1 });
  expect(await messageIds()).toEqual([null, hash]);
  expect(await receive([first])).toMatchObject({ duplicates: 1 });
});

test("the events of a deleted account are not remembered", async () => {
  const { receive, erase, send } = await messageWorld();
  const first = { ...event, userId: "u1", messageId: "u1-1" };
  await receive([first]);
  await erase({ userId: "u1" });
  await send("DELETE", "/api/v1/accounts/1");
  expect(await receive([first])).toMatchObject({ parked: 1, duplicates: 0 });
});

test("the key of the hashes is deleted with the last event that has one", async () => {
  const here = await messageWorld();
  const { receive, erase, pass, keys, first } = here;
  await receive([{ ...event, userId: "u1", messageId: "u1-1" }]);
  pass(10 * day);
  await receive([{ ...event, userId: "u2", messageId: "u2-1" }]);
  expect(await keys()).toEqual([]);
  await erase({ userId: "u1" });
  await erase({ userId: "u2" });
  expect(await keys()).toEqual([{ organization_id: first.id, key: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  pass(26 * day);
  await runDueJobs(here);
  expect(await keys()).toHaveLength(1);
  pass(10 * day);
  await runDueJobs(here);
  expect(await keys()).toEqual([]);
});

test("the key is also deleted after the delete of the account with the last event that has a hash", async () => {
  const here = await messageWorld();
  await here.receive([{ ...event, userId: "u1", messageId: "u1-1" }]);
  await here.erase({ userId: "u1" });
  await here.send("DELETE", "/api/v1/accounts/1");
  for (let round = 0; round < 2; round += 1) await runDueJobs(here);
  expect(await here.keys()).toEqual([]);
});

test("an erasure that replaces no messageId, or is a dry run, creates no key", async () => {
  const { receive, erase, keys, messageIds } = await messageWorld();
  await receive([
    { ...event, userId: "u1", messageId: "1" },
    { ...event, userId: "u2", messageId: "u2" },
  ]);
  const dry = await erase({ userId: "u2" }, { query: "?dryRun=true" });
  await erase({ userId: "u1" });
  expect([await keys(), await messageIds()]).toEqual([[], ["1", "u2"]]);
  expect((await erase({ userId: "u2" })).body).toEqual(dry.body);
});

test("another organization has other hashes, and its events with the same messageId count", async () => {
  const { receive, erase, account, keys, adminKeys, second, messageIds } = await messageWorld();
  await account({ name: "Theirs", externalId: "acme" }, { key: second.key });
  const first = { ...event, userId: "u1", messageId: "u1-1" };
  await receive([first]);
  await erase({ userId: "u1" });
  const [hashed] = await messageIds();
  expect(await receive([first, { ...first, messageId: hashed }], second.key)).toMatchObject({ accepted: 2 });
  await erase({ userId: "u1" }, { key: adminKeys.second });
  expect(new Set((await keys()).map((row) => JSON.stringify(row))).size).toBe(2);
  const [ofFirst, ofSecond, copy] = await messageIds();
  expect(ofSecond).toEqual(hash);
  expect([ofSecond === ofFirst, copy]).toEqual([false, hashed]);
  expect(await receive([first], second.key)).toMatchObject({ duplicates: 1 });
});

test("a messageId that begins as a hash is stored, deduplicated, erased and deleted as others are", async () => {
  const here = await messageWorld();
  const { receive, erase, pass, messageIds, keys } = here;
  const own = { ...event, userId: "u1", messageId: "erased-u1" };
  const like = { ...event, userId: "u1", messageId: `erased-${"0".repeat(64)}` };
  expect(await receive([own, like, own])).toMatchObject({ accepted: 2, duplicates: 1 });
  await erase({ userId: "u1" });
  expect(await messageIds()).toEqual([hash, like.messageId]);
  expect(await receive([own, like])).toMatchObject({ duplicates: 2 });
  expect(await receive([{ ...own, messageId: (await messageIds())[0] }])).toMatchObject({ duplicates: 1 });
  pass(36 * day);
  await runDueJobs(here);
  expect([await messageIds(), await keys()]).toEqual([[], []]);
});

test.each([0, 1, 2])(
  "an erasure of 250 events that fails after %i transactions and is repeated leaves every event a duplicate",
  async (count) => {
    const { receive, erase, tenant, interruptAfter, messageIds, content, keys } = await messageWorld();
    const userId = `user-${marker}`;
    const events = Array.from({ length: 250 }, (_, i) => ({ ...event, userId, messageId: `${userId}/${i}` }));
    await receive(events);
    const endFailure = interruptAfter(count);
    await expect(erasePerson(tenant(), { userId }, false)).rejects.toThrow("interrupted");
    endFailure();
    expect(await receive(events)).toMatchObject({ duplicates: 250 });
    expect((await erase({ userId })).body.data).toMatchObject({ events: 250 - 100 * count });
    expect(new Set(await messageIds()).size).toBe(250);
    expect(await content()).not.toContain(marker);
    expect(await keys()).toHaveLength(1);
    expect(await receive(events)).toMatchObject({ duplicates: 250 });
  },
);
