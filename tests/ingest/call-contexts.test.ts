import { expect, test } from "bun:test";
import { traitsWorld } from "./traits-world.ts";

const person = { name: "Ada Lovelace", email: "ada@acme.example", plan: "mine" };

/** The context that SDKs add to each call: analytics-ios and RudderStack for Android have the traits of the person in it. */
const contexts: [sdk: string, context: object][] = [
  ["analytics-ios", { traits: person, library: { name: "analytics-ios", version: "4.1.8" } }],
  [
    "rudder-sdk-android",
    { traits: { ...person, userId: "u1", id: "u1" }, library: { name: "com.rudderstack" } },
  ],
  ["rudder-sdk-js", { traits: person, app: { name: "RudderLabs JavaScript SDK" }, groupId: "acme" }],
  ["analytics-node", { library: { name: "@segment/analytics-node", version: "2.2.1" } }],
  ["analytics-react-native", { traits: { anonymousId: "a" }, instanceId: "i", device: { id: "d" } }],
];

test("the traits of the person in the context of a call other than identify are no traits of the call", async () => {
  const here = await traitsWorld();
  for (const [sdk, context] of contexts)
    for (const type of ["group", "track", "page", "screen", "alias"]) {
      const call = { type, userId: "u1", event: "clicked", name: "Home", previousId: "u0", context };
      for (const groupId of ["acme", "unknown"]) {
        await here.batch({ ...call, groupId });
        await here.call("POST", `/v1/${type}`, { ...call, groupId });
      }
      const found = [
        await here.accountOf("acme"),
        await here.attributesOf("acme"),
        (await here.accountOf("unknown")) ?? null,
        await here.contacts(),
      ];
      expect([sdk, type, ...found]).toMatchObject([sdk, type, { name: "Acme" }, {}, null, []]);
      expect(found[1]).toEqual({});
      expect(found[3]).toEqual([]);
    }
});

test("a group call of a user who was in another group before is one of its own groupId", async () => {
  const here = await traitsWorld();
  const context = { groupId: "acme", traits: person };
  await here.batch({ type: "group", userId: "u1", groupId: "newco", context, traits: { name: "NewCo" } });
  expect(await here.accountOf("acme")).toMatchObject({ name: "Acme" });
  expect(await here.accountOf("newco")).toMatchObject({ name: "NewCo" });
});

test("an identify call without traits, or with empty ones, reads those of its context", async () => {
  const here = await traitsWorld();
  const context = { groupId: "acme", traits: person };
  await here.batch({ type: "identify", userId: "u1", context });
  const contact = { accountId: 1, userId: "u1", name: "Ada Lovelace", email: "ada@acme.example" };
  expect(await here.contacts()).toEqual([contact]);
  const traits = { name: "Grace", email: "grace@acme.example" };
  await here.batch({ type: "identify", userId: "u2", traits: {}, context: { ...context, traits } });
  expect(await here.contacts()).toEqual([contact, { accountId: 1, userId: "u2", ...traits }]);
});
