import { expect, test } from "bun:test";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { setOrganizationTraits } from "../../src/organizations/settings.ts";
import { day, emptyReceipt, minute } from "../events/event-world.ts";
import type { Body } from "../support/world.ts";
import { group, identify, traitsWorld } from "./traits-world.ts";

const item = (code: string, index = 0) => ({ index, code, detail: expect.any(String) });

/** A world with calls of one group and one person, whose times are in milliseconds relative to the start. */
async function orderWorld() {
  const here = await traitsWorld();
  const start = here.now();
  const timestamp = (age: number) => new Date(start + age).toISOString();
  return {
    ...here,
    group: (traits: unknown, age: number, more?: Body) => ({
      ...group("acme", traits),
      timestamp: timestamp(age),
      ...more,
    }),
    identify: (traits: unknown, age: number, more?: Body) => ({
      ...identify("u1", traits, "acme"),
      timestamp: timestamp(age),
      ...more,
    }),
    async contact() {
      const { name, email, attributes } = (await here.call("GET", "/api/v1/contacts/user/u1")).body.data;
      return { name, email, attributes };
    },
    async changeCount() {
      return (await here.call("GET", "/api/v1/changes?limit=1000")).body.data.length;
    },
  };
}

test("a conversion keeps the times of traits: one that is newer than the text replaces the converted value", async () => {
  const here = await orderWorld();
  await here.batch(
    here.group({ seats: "5" }, -60 * minute),
    here.identify({ name: "Ada", level: "1" }, -60 * minute),
  );
  for (const [name, resource] of [
    ["seats", "accounts"],
    ["level", "contacts"],
  ]) {
    const body = { type: "number", convert: true };
    expect((await here.call("PUT", `/api/v1/attributes/${name}?resource=${resource}`, body)).status).toBe(
      200,
    );
  }
  await runDueJobs(here);
  expect([await here.attributesOf("acme"), (await here.contact()).attributes]).toEqual([
    { seats: 5 },
    { level: 1 },
  ]);
  await here.batch(here.group({ seats: 4 }, -90 * minute), here.identify({ level: 0 }, -90 * minute));
  expect([await here.attributesOf("acme"), (await here.contact()).attributes]).toEqual([
    { seats: 5 },
    { level: 1 },
  ]);
  await here.batch(here.group({ seats: 9 }, -30 * minute), here.identify({ level: 2 }, -30 * minute));
  expect([await here.attributesOf("acme"), (await here.contact()).attributes]).toEqual([
    { seats: 9 },
    { level: 2 },
  ]);
});

test("the newest value wins for each member by itself", async () => {
  const here = await orderWorld();
  await here.batch(here.identify({ name: "Ada", email: "new@x.io", role: "cto" }, -2 * minute));
  const receipt = await here.batch(
    here.identify({ email: "old@x.io", role: "dev", city: "Wien" }, -3 * minute),
    here.identify({ name: "Ada Lovelace" }, -1 * minute),
  );
  expect(receipt).toMatchObject({ traits: 2, items: [] });
  expect(await here.contact()).toEqual({
    name: "Ada Lovelace",
    email: "new@x.io",
    attributes: { role: "cto", city: "Wien" },
  });
});

test("a removed attribute stays removed when an older value arrives", async () => {
  const here = await orderWorld();
  await here.batch(here.group({ plan: "pro" }, -3 * minute), here.group({ plan: null }, -1 * minute));
  expect((await here.batch(here.group({ plan: "free" }, -2 * minute))).items).toEqual([item("superseded")]);
  await here.batch(here.group({ seats: null }, -1 * minute));
  expect((await here.batch(here.group({ seats: 5 }, -2 * minute))).items).toEqual([item("superseded")]);
  expect(await here.attributesOf("acme")).toEqual({});
});

test.each([
  ["b", "a", "b"],
  ["pro", null, null],
  [2, 10, 2],
  [true, false, true],
])("of the values %j and %j of one time, %j stays in either order", async (one, other, expected) => {
  for (const order of [
    [one, other],
    [other, one],
  ]) {
    const here = await orderWorld();
    for (const plan of order) await here.batch(here.group({ plan }, -1 * minute));
    expect(await here.attributesOf("acme")).toEqual(expected === null ? {} : { plan: expected });
  }
});

test("a repeated messageId of a traits call changes nothing, also after a manual correction", async () => {
  const here = await orderWorld();
  const call = here.group({ name: "Acme", plan: "pro" }, -60 * minute, { messageId: "m2" });
  expect(await here.batch(call)).toMatchObject({ ignored: 1, traits: 1 });
  await here.call("PATCH", "/api/v1/accounts/external/acme", { attributes: { plan: "enterprise" } });
  const before = await here.changeCount();
  expect(await here.batch(call, here.group({ plan: "x" }, 0, { messageId: "m2" }))).toEqual({
    ...emptyReceipt,
    duplicates: 2,
    traits: 0,
    items: [item("duplicate"), item("duplicate", 1)],
  });
  expect(await here.attributesOf("acme")).toEqual({ plan: "enterprise" });
  expect(await here.changeCount()).toBe(before);
});

test("the messageId of a traits call is remembered for 35 days, and counts as no event", async () => {
  const here = await orderWorld();
  const call = { ...group("acme", { plan: "a" }), messageId: "m1" };
  await here.batch(call);
  expect(await here.usage()).toEqual([]);
  here.pass(34 * day);
  await here.runJobs();
  expect(await here.batch({ ...call, traits: { plan: "b" } })).toMatchObject({ duplicates: 1 });
  here.pass(2 * day);
  await here.runJobs();
  expect(await here.batch({ ...call, traits: { plan: "c" } })).toMatchObject({ duplicates: 0, traits: 1 });
  expect(await here.attributesOf("acme")).toEqual({ plan: "c" });
});

test("a call of which nothing could be stored can be sent again with its messageId", async () => {
  const here = await orderWorld();
  await here.batch(identify("u1", { email: "ada@x.io" }, "acme"), identify("u2", { name: "Bob" }, "acme"));
  const conflict = { ...identify("u2", { email: "ada@x.io" }), messageId: "m1" };
  expect(await here.batch(conflict)).toMatchObject({ ignored: 1, traits: 0 });
  await here.call("DELETE", "/api/v1/contacts/1");
  expect(await here.batch(conflict)).toMatchObject({ ignored: 1, traits: 1 });
});

for (const [how, change] of Object.entries<[method: string, path: string, body: Body]>({
  PATCH: ["PATCH", "/api/v1/accounts/external/acme", { name: "Corrected", attributes: { plan: "x" } }],
  PUT: ["PUT", "/api/v1/accounts/external/acme", { name: "Corrected", attributes: { plan: "x" } }],
  "a batch of accounts": [
    "POST",
    "/api/v1/accounts/batch",
    { accounts: [{ externalId: "acme", name: "Corrected", attributes: { plan: "x" } }] },
  ],
  "a batch of operations": [
    "POST",
    "/api/v1/batch",
    {
      mode: "atomic",
      operations: [
        {
          method: "PATCH",
          path: "/api/v1/accounts/external/acme",
          body: { name: "Corrected", attributes: { plan: "x" } },
        },
      ],
    },
  ],
}))
  test(`${how} sets the time of the members that it changes, and only of these`, async () => {
    const here = await orderWorld();
    await here.batch(here.group({ name: "Called", plan: "old", seats: 1 }, -60 * minute));
    expect((await here.call(...change)).status).toBeLessThan(300);
    const receipt = await here.batch(here.group({ name: "Late", plan: "late", seats: 2 }, -30 * minute));
    expect(receipt).toMatchObject({ traits: 1, items: [] });
    expect(await here.accountOf("acme")).toMatchObject({ name: "Corrected" });
    expect(await here.attributesOf("acme")).toEqual({ plan: "x", seats: 2 });
    here.pass(minute);
    await here.batch(group("acme", { name: "Newest", plan: "newest" }));
    expect(await here.accountOf("acme")).toMatchObject({ name: "Newest" });
    expect(await here.attributesOf("acme")).toEqual({ plan: "newest", seats: 2 });
  });

test("a corrected name and address of a contact win over an older call", async () => {
  const here = await orderWorld();
  await here.batch(here.identify({ name: "Ada", email: "a@x.io" }, -60 * minute));
  const correction = { name: "Ada L.", email: "l@x.io", attributes: { role: null } };
  await here.call("PATCH", "/api/v1/contacts/1", correction);
  await here.batch(here.identify({ name: "Late", email: "late@x.io" }, -30 * minute));
  expect(await here.contact()).toMatchObject({ name: "Ada L.", email: "l@x.io" });
});

test("members without a stored time are as old as the row; a name that is the address gives way to any name", async () => {
  const here = await orderWorld();
  const account = { name: "New", externalId: "new", attributes: { plan: "x" }, contactEmail: "ada@x.io" };
  await here.account(account);
  const sent = { timestamp: here.at(-60 * minute) };
  await here.batch(
    { ...group("new", { name: "Old", plan: "old", seats: 5 }), ...sent },
    { ...identify("u7", { name: "Ada", email: "ada@x.io" }, "new"), ...sent },
  );
  expect(await here.accountOf("new")).toMatchObject({ name: "New" });
  expect(await here.attributesOf("new")).toEqual({ plan: "x", seats: 5 });
  expect(await here.contacts()).toMatchObject([{ userId: "u7", name: "Ada", email: "ada@x.io" }]);
});

test("a newer call with the stored value changes only its time: the version stays, and the feed has nothing", async () => {
  const here = await orderWorld();
  await here.batch(here.group({ plan: "a" }, -60 * minute));
  const { body, headers } = await here.call("GET", "/api/v1/accounts/external/acme");
  const before = await here.changeCount();
  expect(await here.batch(here.group({ plan: "a" }, -10 * minute))).toMatchObject({ traits: 1, items: [] });
  const after = await here.call("GET", "/api/v1/accounts/external/acme");
  expect(after.body).toEqual(body);
  expect(after.headers.get("etag")).toBe(headers.get("etag"));
  expect(await here.changeCount()).toBe(before);
  expect((await here.batch(here.group({ plan: "b" }, -30 * minute))).items).toEqual([item("superseded")]);
});

test("with traits off, no time is stored", async () => {
  const here = await orderWorld();
  await setOrganizationTraits(here.engine, here.first.id, false);
  await here.call("PATCH", "/api/v1/accounts/1", { name: "Now", attributes: { plan: "now" } });
  await setOrganizationTraits(here.engine, here.first.id, true);
  here.pass(60 * minute);
  // Both are as old as the row: the call is newer than the row and older than the PATCH.
  const receipt = await here.batch(here.group({ name: "Called", plan: "called" }, 1));
  expect(receipt).toMatchObject({ traits: 1 });
  expect(await here.accountOf("acme")).toMatchObject({ name: "Called" });
});

test("times are in no reply and in no change", async () => {
  const here = await orderWorld();
  await here.batch(here.group({ plan: "a" }, -60 * minute), here.identify({ name: "Ada" }, -60 * minute));
  await here.call("PATCH", "/api/v1/accounts/1", { name: "Other" });
  await here.call("DELETE", "/api/v1/contacts/1");
  for (const path of ["changes", "accounts/1", "accounts?include=attributes", "accounts/1/history"])
    expect((await here.call("GET", `/api/v1/${path}`)).text).not.toMatch(/times/i);
});

test("of removed attributes, the times of the newest 50 are kept", async () => {
  const here = await orderWorld();
  for (let part = 0; part < 3; part += 1) {
    const removed = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`x${part}_${i}`, null]));
    await here.batch(here.group({ ...removed, plan: `p${part}` }, part - 10));
    const body = { attributes: { [`set${part}`]: "x" } };
    await here.call("PATCH", "/api/v1/accounts/1", body);
    await here.call("PATCH", "/api/v1/accounts/1", { attributes: { [`set${part}`]: null } });
  }
  const [row] = await here.rows("SELECT member_times FROM accounts WHERE id = 1");
  const times = Object.keys(JSON.parse(String(Object.values(row ?? {})[0])));
  expect(times).toHaveLength(51);
  expect(times).toContain("attributes.plan");
  expect(times).toContain("attributes.set2");
});
