import { expect, test } from "bun:test";
import { setOrganizationTraits } from "../../src/organizations/settings.ts";
import { emptyReceipt, eventWorld } from "../events/event-world.ts";
import type { Body } from "../support/world.ts";
import { group, identify, traitsWorld } from "./traits-world.ts";

test("traits are off by default: nothing is stored, and the receipt does not have them", async () => {
  const here = await eventWorld();
  const calls = [group("acme", { name: "Other" }), identify("u1", { email: "a@x.io" }, "acme")];
  const { data } = (await here.call("POST", "/v1/batch", { batch: calls })).body;
  expect(data).toEqual({ ...emptyReceipt, ignored: 2 });
  expect((await here.call("GET", "/api/v1/accounts/1")).body.data).toMatchObject({
    name: "Acme",
    contacts: [],
  });
});

test("a group call names the account of the group, and creates it when there is none", async () => {
  const here = await traitsWorld();
  const receipt = await here.batch(group("acme", { name: "Acme Inc." }), group("new", { name: "New" }));
  expect(receipt).toEqual({ ...emptyReceipt, ignored: 2, traits: 2 });
  expect(await here.accountOf("acme")).toMatchObject({ id: 1, name: "Acme Inc." });
  expect(await here.accountOf("new")).toMatchObject({ name: "New", mrr: 0, active: true });
});

test("a group call without a valid group or name changes nothing", async () => {
  const here = await traitsWorld();
  const traits: unknown[] = [undefined, null, {}, [], "x", { name: "" }, { name: " " }, { name: 5 }];
  traits.push({ name: "x".repeat(256) }, { name: "a\0b" }, { plan: ["pro"] });
  const groups = [undefined, "", null, {}, 1.5, "x".repeat(256)].map((id) => group(id, { name: "New" }));
  const receipt = await here.batch(...traits.map((one) => group("acme", one)), ...groups);
  expect(receipt).toEqual({ ...emptyReceipt, ignored: traits.length + groups.length, traits: 0 });
  expect(await here.accountOf("acme")).toMatchObject({ name: "Acme" });
  expect((await here.call("GET", "/api/v1/accounts")).body.pagination.total).toBe(2);
});

test("an identify call with a group creates a contact of its account, then updates it with or without the group", async () => {
  const here = await traitsWorld();
  const ada = { accountId: 1, userId: "u1", name: "Ada", email: "ada@x.io" };
  await here.batch(identify("u1", { name: "Ada", email: "ada@x.io" }, "acme"));
  expect(await here.contacts()).toEqual([ada]);
  await here.batch(identify("u1", { name: "Ada Lovelace" }));
  expect(await here.contacts()).toEqual([{ ...ada, name: "Ada Lovelace" }]);
  // Without a name, the stored one stays; at another group, so does the account.
  await here.batch(identify("u1", { email: "lovelace@x.io" }, "globex"));
  expect(await here.contacts()).toEqual([{ ...ada, name: "Ada Lovelace", email: "lovelace@x.io" }]);
});

test("the name of a new contact is name, or firstName and lastName, or the address", async () => {
  const here = await traitsWorld();
  const email = (user: string) => `${user}@x.io`;
  await here.batch(
    identify("u1", { name: "One", firstName: "Not", email: email("u1") }, "acme"),
    identify("u2", { firstName: "Ada", lastName: "Lovelace" }, "acme"),
    identify("u3", { lastName: "Hopper", firstName: 5 }, "acme"),
    identify("u4", { email: email("u4") }, "acme"),
    identify(7, { name: "Seven", email: "no address" }, "acme"),
  );
  const names = (await here.contacts()).map(({ userId, name, email }) => [userId, name, email]);
  expect(names).toEqual([
    ["u1", "One", "u1@x.io"],
    ["u2", "Ada Lovelace", null],
    ["u3", "Hopper", null],
    ["u4", "u4@x.io", "u4@x.io"],
    ["7", "Seven", null],
  ]);
});

test("the account's contact with the address gets the user's id", async () => {
  const here = await traitsWorld();
  await here.call("POST", "/api/v1/accounts/1/contacts", { name: "Ada", email: "Ada@x.io" });
  await here.batch(identify("u1", { email: "ada@x.io" }, "acme"));
  expect(await here.contacts()).toEqual([{ accountId: 1, userId: "u1", name: "Ada", email: "ada@x.io" }]);
  // Without a user id, the address alone finds it.
  await here.batch({ ...identify(undefined, { email: "ADA@x.io", name: "A." }, "acme"), anonymousId: "a1" });
  expect(await here.contacts()).toEqual([{ accountId: 1, userId: "u1", name: "A.", email: "ADA@x.io" }]);
});

test("identify finds the userId, then an equal externalId, then the address in the account, and sets the userId", async () => {
  const here = await traitsWorld();
  const create = async (body: Body) =>
    (await here.call("POST", "/api/v1/accounts/1/contacts", body)).body.data.id;
  const byAddress = await create({ name: "Ada", email: "ada@x.io", externalId: "crm-1" });
  const byExternalId = await create({ name: "Bob", email: "bob@x.io", externalId: "u2" });
  const byUserId = await create({ name: "Eve", email: "eve@x.io", userId: "u3", externalId: "crm-3" });
  // The id of another system for a person whose userId is known.
  const other = await create({ name: "Hal", externalId: "u4", userId: "u5" });
  const receipt = await here.batch(
    identify("u1", { email: "ADA@x.io", plan: "pro" }, "acme"),
    identify("u2", { plan: "pro" }),
    identify("u3", { plan: "pro" }),
    identify("u4", { name: "New", plan: "pro" }, "acme"),
  );
  expect(receipt).toMatchObject({ traits: 4, items: [] });
  const { data } = (await here.call("GET", "/api/v1/contacts?sortBy=createdAt&sortOrder=asc")).body;
  expect(
    data.map(({ id, userId, externalId, attributes }: Body) => [id, userId, externalId, attributes]),
  ).toEqual([
    [byAddress, "u1", "crm-1", { plan: "pro" }],
    [byExternalId, "u2", "u2", { plan: "pro" }],
    [byUserId, "u3", "crm-3", { plan: "pro" }],
    [other, "u5", "u4", {}],
    [expect.any(Number), "u4", null, { plan: "pro" }],
  ]);
  // Each contact that got the userId is a change of the feed.
  const changes = (await here.call("GET", "/api/v1/changes?resource=contact&action=updated")).body.data;
  expect(changes.map(({ after }: Body) => (after as Body).userId)).toEqual(["u1", "u2", undefined]);
});

test("a contact with the address and another userId is not touched: the call is an item", async () => {
  const here = await traitsWorld();
  await here.batch(identify("u1", { name: "Ada", email: "ada@x.io" }, "acme"));
  const before = await here.call("GET", "/api/v1/contacts");
  const receipt = await here.batch(identify("u2", { name: "Eve", email: "ada@x.io", plan: "pro" }, "acme"));
  expect(receipt).toMatchObject({ traits: 0, items: [{ index: 0, code: "contact_email_conflict" }] });
  expect((await here.call("GET", "/api/v1/contacts")).text).toBe(before.text);
  // At another account the address is another contact.
  await here.batch(identify("u2", { name: "Eve", email: "ada@x.io" }, "globex"));
  expect(await here.contacts()).toMatchObject([{ userId: "u1" }, { userId: "u2", accountId: 2 }]);
});

test("an identify call changes no contact without an account, without traits, or in conflict with another contact", async () => {
  const here = await traitsWorld();
  await here.batch(
    identify("u1", { name: "Ada", email: "ada@x.io" }, "acme"),
    identify("u2", { name: "Grace", email: "grace@x.io" }, "acme"),
  );
  const before = await here.contacts();
  const receipt = await here.batch(
    identify("u9", { name: "Nobody", email: "nobody@x.io" }),
    identify("u9", { name: "Nobody", email: "nobody@x.io" }, "unknown"),
    identify("u9", {}, "acme"),
    identify(undefined, { name: "Nobody" }, "acme"),
    identify("u2", { email: "ada@x.io" }),
    identify("u3", { email: "ada@x.io" }, "acme"),
  );
  const { items, ...counts } = receipt;
  expect({ ...counts, items: [] }).toEqual({ ...emptyReceipt, ignored: 4, parked: 2, traits: 0 });
  expect(items.map(({ index, code }: Body) => [index, code])).toEqual([
    [0, "parked"],
    [1, "parked"],
    [4, "contact_email_conflict"],
    [5, "contact_email_conflict"],
  ]);
  expect(await here.contacts()).toEqual(before);
});

test("of a call whose address another contact has, the other traits of an existing contact are stored", async () => {
  const here = await traitsWorld();
  await here.batch(
    identify("u1", { email: "ada@x.io" }, "acme"),
    identify("u2", { email: "bob@x.io" }, "acme"),
  );
  const receipt = await here.batch(
    identify("u2", { email: "ada@x.io", name: "Bob" }),
    identify("u2", { plan: "pro" }),
  );
  expect(receipt).toMatchObject({ traits: 2, items: [] });
  const { data } = (await here.call("GET", "/api/v1/contacts/user/u2")).body;
  expect(data).toMatchObject({ name: "Bob", email: "bob@x.io", attributes: { plan: "pro" } });
});

test("a call with an invalid timestamp is rejected with its traits", async () => {
  const here = await traitsWorld();
  for (const timestamp of ["yesterday", 1767323045678, {}]) {
    const receipt = await here.batch({ ...group("acme", { name: "Old" }), timestamp });
    expect(receipt).toMatchObject({ rejected: 1, traits: 0, items: [{ code: "invalid_timestamp" }] });
  }
  expect(await here.accountOf("acme")).toMatchObject({ name: "Acme" });
});

test("an account that a group call creates gets its events of the same batch and its pending ones", async () => {
  const here = await traitsWorld();
  const event = { type: "track", event: "clicked", context: { groupId: "new" } };
  expect(await here.batch({ ...event, messageId: "1" })).toMatchObject({ parked: 1 });
  const receipt = await here.batch({ ...event, messageId: "2" }, group("new", { name: "New" }));
  expect(receipt).toMatchObject({ accepted: 1, parked: 0, traits: 1 });
  const id = Number((await here.accountOf("new"))?.id);
  expect(await here.usage(id)).toEqual([["2026-01-02", "clicked", 2, 0]]);
});

test("each change is recorded with the key; equal traits change nothing", async () => {
  const here = await traitsWorld();
  const calls = [group("acme", { name: "Acme Inc." }), identify("u1", { name: "Ada" }, "acme")];
  const changes = async () => {
    const { data } = (await here.call("GET", "/api/v1/changes")).body;
    return data.map(({ type, actor }: Body) => [type, (actor as Body).type]);
  };
  const before = await changes();
  for (let i = 0; i < 2; i += 1) expect((await here.batch(...calls)).traits).toBe(2);
  expect((await changes()).slice(before.length)).toEqual([
    ["account.updated", "key"],
    ["contact.created", "key"],
  ]);
});

test("the receipt counts the calls of which something is stored, and has the count whenever traits are on", async () => {
  const here = await traitsWorld();
  // An attribute keeps its type as long as another row has it.
  await here.batch(group("acme", { seats: 5 }), group("globex", { seats: 1 }));
  for (const user of ["u1", "u2"]) await here.batch(identify(user, { name: "Ada", level: 1 }, "acme"));
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`a${i}`, i]));
  const large = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`a${i}`, "é".repeat(500)]));
  const unstored: [call: Body, code: string][] = [
    [group("acme", { seats: "many" }), "attribute_type_conflict"],
    [group("acme", many), "too_many"],
    [group("acme", large), "attributes_too_large"],
    [identify("u1", { level: "high" }), "attribute_type_conflict"],
    [identify("u1", many), "too_many"],
  ];
  for (const [call, code] of unstored) {
    const items = [{ index: 0, code, detail: expect.any(String) }];
    expect(await here.batch(call)).toEqual({ ...emptyReceipt, ignored: 1, traits: 0, items });
  }
  expect(
    (await here.batch(...unstored.map(([call]) => call), identify("u1", { level: "high", email: "a@x.io" })))
      .traits,
  ).toBe(1);
  expect(await here.attributesOf("acme")).toEqual({ seats: 5 });
  const track = { type: "track", event: "clicked", messageId: "1", context: { groupId: "acme" } };
  expect(await here.batch(track)).toEqual({ ...emptyReceipt, accepted: 1, traits: 0 });
  expect(await here.batch()).toEqual({ ...emptyReceipt, traits: 0 });
});

test("the single paths store traits, also those in the context; /api/v1/events does not", async () => {
  const here = await traitsWorld();
  const context = { groupId: "acme", traits: { name: "Ada" } };
  const traits = { ...emptyReceipt, ignored: 1, traits: 1 };
  expect((await here.call("POST", "/v1/g", group("acme", { name: "G" }))).body.data).toEqual(traits);
  expect((await here.call("POST", "/v1/identify", { userId: "u1", context })).body.data).toEqual(traits);
  expect(await here.accountOf("acme")).toMatchObject({ name: "G" });
  expect(await here.contacts()).toEqual([{ accountId: 1, userId: "u1", name: "Ada", email: null }]);
  const batch = [group("acme", { name: "Not stored" })];
  expect((await here.call("POST", "/api/v1/events", { batch })).body.data).toEqual({
    ...emptyReceipt,
    ignored: 1,
  });
  expect(await here.accountOf("acme")).toMatchObject({ name: "G" });
});

test("turned off again, traits are ignored; another organization's setting has no effect", async () => {
  const here = await traitsWorld();
  const rename = async (key: string) =>
    (await here.call("POST", "/v1/group", group("acme", { name: "Renamed" }), { key })).body.data;
  expect(await rename(here.second.key)).toEqual({ ...emptyReceipt, ignored: 1 });
  await setOrganizationTraits(here.engine, here.first.id, false);
  expect(await rename(here.first.key)).toEqual({ ...emptyReceipt, ignored: 1 });
  expect(await here.accountOf("acme")).toMatchObject({ name: "Acme" });
});

test("a dry run stores no traits", async () => {
  const here = await traitsWorld();
  const { data } = (await here.call("POST", "/v1/group?dryRun=true", group("new", { name: "New" }))).body;
  expect(data.traits).toBe(1);
  expect(await here.accountOf("new")).toBeUndefined();
});
