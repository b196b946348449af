import { expect, test } from "bun:test";
import { emptyReceipt } from "../events/event-world.ts";
import { group, identify, traitsWorld } from "./traits-world.ts";

test("the other traits are attributes; those that are no valid attributes are ignored", async () => {
  const here = await traitsWorld();
  const valid = { plan: "pro", seats: 5, trial: false, arr: 1.5, empty: "" };
  const invalid = {
    address: { city: "Wien" },
    tags: ["a"],
    "two words": 1,
    _hidden: 1,
    long: "x".repeat(501),
    text: "a\0b",
    half: "\ud800",
    missing: undefined,
  };
  const receipt = await here.batch(
    group("acme", { ...valid, ...invalid }),
    identify("u1", { ...valid, ...invalid, firstName: "Ada", email: "ada@x.io" }, "acme"),
    group("new", { plan: "pro" }),
    identify("u2", { plan: "pro" }, "acme"),
    group("globex", { name: "Globex AG", email: "info@x.io", firstName: "F" }),
  );
  // A new account without a name is pending, and a person without a name and an address.
  const items = [2, 3].map((index) => ({ index, code: "parked", detail: expect.any(String) }));
  expect(receipt).toEqual({ ...emptyReceipt, ignored: 3, parked: 2, traits: 3, items });
  expect(await here.attributesOf("acme")).toEqual(valid);
  expect(await here.attributesOf("globex")).toEqual({ email: "info@x.io", firstName: "F" });
  expect(await here.accountOf("new")).toBeUndefined();
  const { data } = (await here.call("GET", "/api/v1/contacts")).body;
  expect(data).toMatchObject([{ userId: "u1", name: "Ada", attributes: valid }]);
});

test("attributes merge: null removes one, and an attribute of another type is ignored alone", async () => {
  const here = await traitsWorld();
  await here.batch(group("acme", { plan: "pro", seats: 5, old: 1 }), group("globex", { seats: 1 }));
  const receipt = await here.batch(
    group("acme", { name: "Acme Inc.", seats: "many", old: null, region: "EU" }),
    group("globex", { seats: true, region: 7 }),
  );
  // Nothing of the second call is stored.
  expect(receipt.traits).toBe(1);
  expect(await here.accountOf("acme")).toMatchObject({ name: "Acme Inc." });
  expect(await here.attributesOf("acme")).toEqual({ plan: "pro", seats: 5, region: "EU" });
  expect(await here.attributesOf("globex")).toEqual({ seats: 1 });
});

test.each([
  ["more than 50 attributes", Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`a${i}`, i]))],
  [
    "attributes of more than 32 KiB",
    Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`a${i}`, "é".repeat(500)])),
  ],
])("with %s, the name is stored without them", async (_what, many) => {
  const here = await traitsWorld();
  expect((await here.batch(group("acme", { ...many, name: "Acme Inc." }))).traits).toBe(1);
  expect(await here.accountOf("acme")).toMatchObject({ name: "Acme Inc." });
  expect(await here.attributesOf("acme")).toEqual({});
});

test("traits that do not have the declared type of their attribute are ignored", async () => {
  const here = await traitsWorld();
  for (const [name, type] of [
    ["renewal", "date"],
    ["seats", "number"],
  ])
    expect((await here.call("PUT", `/api/v1/attributes/${name}`, { type })).status).toBe(200);
  const traits = { name: "Acme", renewal: "soon", seats: "5", plan: "pro" };
  expect((await here.batch(group("acme", traits))).traits).toBe(1);
  expect(await here.attributesOf("acme")).toEqual({ plan: "pro" });
  const items = [{ index: 0, code: "attribute_type_conflict", detail: expect.any(String) }];
  expect(await here.batch(group("acme", { renewal: "2026-02-30" }))).toMatchObject({ traits: 0, items });
  expect((await here.batch(group("acme", { renewal: "2026-02-28", seats: 5 }))).traits).toBe(1);
  expect(await here.attributesOf("acme")).toEqual({ plan: "pro", renewal: "2026-02-28", seats: 5 });
});
