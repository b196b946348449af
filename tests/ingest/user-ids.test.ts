import { expect, test } from "bun:test";
import { identify, traitsWorld } from "./traits-world.ts";

const placeholders = [
  ..."undefined null NaN 0 -1 true false none anonymous guest distinct_id id".split(" "),
  "[object Object]",
  "UNDEFINED",
  " null ",
  "\tNone\n",
  " ",
];

test("a placeholder as user id identifies nobody: two persons stay two", async () => {
  const here = await traitsWorld();
  const userIds = [...placeholders, 0, -1];
  for (const [i, userId] of userIds.entries())
    await here.batch(
      identify(userId, { name: "Ada", email: `ada${i}@c1.example` }, "acme"),
      identify(userId, { name: "Bob", email: `bob${i}@c2.example` }, "globex"),
    );
  expect(await here.contacts()).toEqual(
    userIds.flatMap((_, i) => [
      { accountId: 1, userId: null, name: "Ada", email: `ada${i}@c1.example` },
      { accountId: 2, userId: null, name: "Bob", email: `bob${i}@c2.example` },
    ]),
  );
});

test("events of a placeholder as user id count without a user", async () => {
  const here = await traitsWorld();
  for (const [i, userId] of placeholders.entries()) {
    const context = { groupId: "acme" };
    await here.batch({ type: "track", event: "a", messageId: `a${i}`, userId, context });
    await here.send([{ event: "b", externalId: "acme", messageId: `b${i}`, userId }]);
  }
  expect(await here.usage()).toEqual([
    ["2026-01-02", "a", placeholders.length, 0],
    ["2026-01-02", "b", placeholders.length, 0],
  ]);
});

test("a track call with a placeholder as userId has its anonymousId as the user", async () => {
  const here = await traitsWorld();
  const call = { type: "track", event: "a", context: { groupId: "acme" } };
  await here.batch(
    { ...call, messageId: "1", userId: "undefined", anonymousId: "anon-1" },
    { ...call, messageId: "2", userId: null, anonymousId: "null" },
  );
  expect(await here.usage()).toEqual([["2026-01-02", "a", 2, 1]]);
});

test("ids that contain a placeholder are user ids", async () => {
  const here = await traitsWorld();
  const ids = ["undefined1", "guest-7", "id_1", "00", "-10", "nullable"];
  await here.batch(...ids.map((id) => identify(id, { email: `${id}@x.example` }, "acme")));
  expect((await here.contacts()).map(({ userId }) => userId)).toEqual(ids);
});

test("an erasure by a placeholder is possible", async () => {
  const here = await traitsWorld();
  await here.call("PUT", "/api/v1/contacts/external/undefined", { accountId: 1, name: "Glued" });
  expect((await here.call("POST", "/api/v1/erasures", { userId: "undefined" })).body.data.contacts).toBe(1);
});
