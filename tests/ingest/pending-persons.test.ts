import { expect, test } from "bun:test";
import type { Engine, Transaction } from "../../db/engine.ts";
import { day, emptyReceipt } from "../events/event-world.ts";
import { operatorOf } from "../support/operator.ts";
import type { Body } from "../support/world.ts";
import { group, identify, traitsWorld } from "./traits-world.ts";

const bob = { userId: "u1", name: "Bob", email: "bob@beta.example" };
const traits = { name: "Bob", email: "bob@beta.example", role: "dev" };

test("within a request the group calls come first: an identify before the group of its new account is a contact", async () => {
  const here = await traitsWorld();
  const receipt = await here.batch(
    identify("u1", traits, "beta"),
    { ...group("beta", { name: "Beta" }), userId: "u1" },
    { ...group("beta", { plan: "pro" }) },
  );
  expect(receipt).toEqual({ ...emptyReceipt, ignored: 3, traits: 3 });
  expect(await here.contacts()).toEqual([{ ...bob, accountId: (await here.accountOf("beta"))?.id }]);
});

test("a group call with a name comes before one without a name", async () => {
  const here = await traitsWorld();
  await here.batch(group("beta", { plan: "pro" }), group("beta", { name: "Beta" }));
  expect(await here.attributesOf("beta")).toEqual({ plan: "pro" });
});

test("without a user id, such a call cannot be pending", async () => {
  const here = await traitsWorld();
  const receipt = await here.batch(identify("undefined", traits, "beta"), identify(null, traits));
  expect(receipt).toMatchObject({ ignored: 2, parked: 0, items: [{ code: "no_account" }, { index: 1 }] });
});

const accountRequests: Record<string, (here: Awaited<ReturnType<typeof traitsWorld>>) => Promise<unknown>> = {
  "a group call": (here) => here.batch(group("beta", { name: "Beta" })),
  POST: (here) => here.account({ name: "Beta", externalId: "beta" }),
  PUT: (here) => here.call("PUT", "/api/v1/accounts/external/beta", { name: "Beta" }),
  PATCH: async (here) => {
    const { id } = await here.account({ name: "Beta" });
    await here.call("PATCH", `/api/v1/accounts/${id}`, { externalId: "beta" });
  },
  "a batch of accounts": (here) =>
    here.call("POST", "/api/v1/accounts/batch", { accounts: [{ externalId: "beta", name: "Beta" }] }),
  "an import": (here) =>
    operatorOf(here.engine).importRows(here.first.id, "accounts", [{ externalId: "beta", name: "Beta" }]),
  "a batch of operations": (here) =>
    here.call("POST", "/api/v1/batch", {
      mode: "partial",
      operations: [{ method: "POST", path: "/api/v1/accounts", body: { name: "Beta", externalId: "beta" } }],
    }),
};

for (const [how, request] of Object.entries(accountRequests))
  test(`a pending person becomes a contact when its group appears by ${how}`, async () => {
    const here = await traitsWorld();
    await here.batch(identify("u1", traits, "beta"));
    await here.batch(identify("u2", { email: "other@gamma.example" }, "gamma"));
    await request(here);
    const accountId = (await here.accountOf("beta"))?.id;
    expect(await here.contacts()).toEqual([{ ...bob, accountId }]);
    const { data } = (await here.call("GET", "/api/v1/contacts/user/u1")).body;
    expect(data.attributes).toEqual({ role: "dev" });
    const { data: changes } = (await here.call("GET", "/api/v1/changes?resource=contact")).body;
    expect(changes).toMatchObject([{ type: "contact.created", accountId }]);
  });

test("pending traits of a group are stored after the reply, which has the stored row", async () => {
  const here = await traitsWorld();
  await here.batch(group("beta", { plan: "pro" }));
  const path = "/api/v1/accounts/external/beta";
  const created = await here.call("PUT", path, { name: "Beta" });
  const headers = { "if-match": created.headers.get("etag") ?? "" };
  expect((await here.call("PATCH", path, { mrr: 5 }, { headers })).status).toBe(200);
  await here.runJobs();
  expect(await here.attributesOf("beta")).toEqual({ plan: "pro" });
});

test("a group call that creates the account stores the pending traits of the group with its own", async () => {
  const here = await traitsWorld();
  await here.batch({ ...group("beta", { plan: "pro", seats: 5 }), timestamp: here.at(-1_000) });
  await here.batch({ ...group("beta", { name: "Beta", plan: "free" }), timestamp: here.at(-9_000) });
  expect(await here.attributesOf("beta")).toEqual({ plan: "pro", seats: 5 });
});

test.skipIf(Bun.env.TEST_ENGINE === "postgres-copies")(
  "1,000 calls of one user and as many groups are stored by about one statement for each group",
  async () => {
    const here = await traitsWorld();
    const statementsOf = countWrites(here.engine);
    const groups = Array.from({ length: 999 }, (_, i) => `g${i}`);
    await here.batch(...groups.map((id) => group(id, { name: id })));
    const oneUser = await statementsOf(() =>
      here.batch(...groups.map((id, i) => identify("u1", { email: `u${i}@x.io` }, id))),
    );
    expect(await here.contacts()).toHaveLength(1);
    const manyUsers = await statementsOf(() =>
      here.batch(...groups.map((id, i) => identify(`v${i}`, { email: `v${i}@x.io` }, id))),
    );
    expect(oneUser).toBeGreaterThan(0);
    expect(oneUser).toBeLessThan(1.2 * groups.length);
    // The same number of calls of as many users: each one is stored.
    expect(manyUsers).toBeGreaterThan(2 * groups.length);
  },
);

/** Returns a function that counts the statements of the transactions of an engine while `work` runs. */
function countWrites(engine: Engine): (work: () => Promise<unknown>) => Promise<number> {
  let count = 0;
  const { write } = engine;
  engine.write = (organizationId, fn, options) =>
    write.call(engine, organizationId, (tx) => fn(counted(tx)), options) as ReturnType<typeof fn>;
  const counted = (tx: Transaction) =>
    new Proxy(tx, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        if (["first", "all", "run", "insert", "count"].includes(String(name))) count += 1;
        return member.bind(target);
      },
    });
  return async (work) => {
    const before = count;
    await work();
    return count - before;
  };
}

test("a group call of the user names the account: the order that SDKs send by themselves gives a contact", async () => {
  const here = await traitsWorld();
  const track = { type: "track", event: "a", messageId: "1", userId: "u1", context: { groupId: "acme" } };
  await here.batch(identify("u1", traits));
  await here.batch({ type: "group", userId: "u1", groupId: "acme" });
  await here.batch(track);
  expect(await here.contacts()).toEqual([{ ...bob, accountId: 1 }]);
  expect(await here.usage()).toEqual([["2026-01-02", "a", 1, 1]]);
});

test("the group of a user is remembered until the user is identified, also when its account appears in between", async () => {
  const here = await traitsWorld();
  await here.batch({ type: "group", userId: "u1", groupId: "acme" });
  await here.batch({ type: "group", userId: "u2", groupId: "beta" });
  await here.account({ name: "Beta", externalId: "beta" });
  await here.batch(identify("u1", traits), identify("u2", { email: "two@x.io" }));
  expect(await here.contacts()).toMatchObject([
    { userId: "u1", accountId: 1 },
    { userId: "u2", accountId: (await here.accountOf("beta"))?.id },
  ]);
});

test("a group call never moves a stored contact", async () => {
  const here = await traitsWorld();
  await here.batch(identify("u1", traits, "acme"));
  await here.batch({ type: "group", userId: "u1", groupId: "globex", traits: { name: "Globex" } });
  await here.batch(identify("u1", { role: "cto" }));
  expect(await here.contacts()).toEqual([{ ...bob, accountId: 1 }]);
});

test("the newest traits of several identify calls are kept", async () => {
  const here = await traitsWorld();
  const at = (age: number) => ({ timestamp: here.at(age) });
  await here.batch({ ...identify("u1", { name: "New", plan: "pro" }), ...at(-1_000) });
  await here.batch({
    ...identify("u1", { name: "Old", email: "o@x.io", plan: "free", seats: 1 }),
    ...at(-9_000),
  });
  await here.batch(group("acme", {}), { type: "group", userId: "u1", groupId: "acme" });
  const { data } = (await here.call("GET", "/api/v1/contacts/user/u1")).body;
  expect(data).toMatchObject({ name: "New", email: "o@x.io", attributes: { plan: "pro", seats: 1 } });
  // The times are kept, too.
  await here.batch({ ...identify("u1", { plan: "late" }), ...at(-5_000) });
  expect((await here.call("GET", "/api/v1/contacts/user/u1")).body.data.attributes.plan).toBe("pro");
});

test("a person without a name and an address is pending until one arrives", async () => {
  const here = await traitsWorld();
  expect(await here.batch(identify("u1", { plan: "pro" }, "acme"))).toMatchObject({ parked: 1 });
  await here.batch(identify("u1", { email: "ada@x.io" }));
  expect(await here.contacts()).toMatchObject([{ accountId: 1, name: "ada@x.io", email: "ada@x.io" }]);
});

test("a person in conflict with a contact stays pending and is stored later", async () => {
  const here = await traitsWorld();
  await here.call("POST", "/api/v1/accounts/1/contacts", { ...traits, role: undefined, userId: "u9" });
  await here.batch(identify("u1", traits));
  await here.batch({ type: "group", userId: "u1", groupId: "acme" });
  expect(await here.contacts()).toMatchObject([{ userId: "u9" }]);
  await here.call("DELETE", "/api/v1/contacts/1");
  await here.batch({ type: "group", userId: "u1", groupId: "acme" });
  expect(await here.contacts()).toMatchObject([{ userId: "u1" }]);
});

test("a pending person of a deleted and created account, and one in a failed batch, stay consistent", async () => {
  const here = await traitsWorld();
  await here.batch(identify("u1", traits, "beta"));
  const operations = [
    { method: "POST", path: "/api/v1/accounts", body: { name: "Beta", externalId: "beta" } },
    { method: "POST", path: "/api/v1/accounts", body: {} },
  ];
  await here.call("POST", "/api/v1/batch", { mode: "atomic", operations });
  await here.call("POST", "/api/v1/accounts?dryRun=true", { name: "Beta", externalId: "beta" });
  expect(await here.contacts()).toEqual([]);
  await here.account({ name: "Beta", externalId: "beta" });
  expect(await here.contacts()).toMatchObject([{ userId: "u1" }]);
});

test("a person is pending for 30 days after its last call", async () => {
  const here = await traitsWorld();
  await here.batch(identify("u1", traits, "beta"), identify("u2", { email: "two@x.io" }, "beta"));
  here.pass(20 * day);
  await here.batch(identify("u1", { role: "cto" }, "beta"));
  here.pass(11 * day);
  await here.runJobs();
  await here.account({ name: "Beta", externalId: "beta" });
  expect(await here.contacts()).toMatchObject([{ userId: "u1" }]);
});

test("more persons than 100 of a group become contacts in steps", async () => {
  const here = await traitsWorld();
  const ids = Array.from({ length: 250 }, (_, i) => `u${i}`);
  await here.batch(...ids.map((id) => identify(id, { email: `${id}@x.io` }, "beta")));
  await here.account({ name: "Beta", externalId: "beta" });
  await here.runJobs();
  const { pagination } = (await here.call("GET", "/api/v1/contacts")).body;
  expect(pagination.total).toBe(250);
});

test("an organization has at most 10,000 pending persons: those whose calls came last", async () => {
  const here = await traitsWorld();
  const ids = Array.from({ length: 1_000 }, (_, i) => i);
  for (let part = 0; part < 10; part += 1)
    await here.batch(...ids.map((i) => identify(`u${part}-${i}`, { name: "N" }, "gamma")));
  await here.batch(identify("u0-0", { name: "Again" }, "beta"), identify("late", { name: "Late" }, "beta"));
  const pending = await here.rows<{ id: string }>("SELECT id FROM pending_traits WHERE type = 'user'");
  expect(pending).toHaveLength(10_000);
  // One more person than 10,000: that with the earliest call is gone.
  expect(pending.map(({ id }) => id)).not.toContain("u0-1");
  await here.account({ name: "Beta", externalId: "beta" });
  expect((await here.contacts()).map(({ name }) => name).toSorted()).toEqual(["Again", "Late"]);
}, 120_000);

test("pending attributes of 500 characters that JSON escapes are stored up to 32 KiB", async () => {
  const here = await traitsWorld();
  const attributes = Object.fromEntries(Array.from({ length: 32 }, (_, i) => [`a${i}`, '"'.repeat(500)]));
  await here.batch(identify("u1", { name: "Ada", ...attributes }, "beta"));
  await here.account({ name: "Beta", externalId: "beta" });
  const { data } = (await here.call("GET", "/api/v1/contacts/user/u1")).body;
  expect(data.attributes).toEqual(attributes);
});

test("another organization's persons and groups have no effect", async () => {
  const here = await traitsWorld();
  await here.batch(identify("u1", traits, "beta"));
  await here.account({ name: "Beta", externalId: "beta" }, { key: here.second.key });
  const body: Body = { name: "Theirs" };
  await here.call(
    "POST",
    "/v1/group",
    { userId: "u1", groupId: "beta", traits: body },
    { key: here.second.key },
  );
  expect(await here.contacts()).toEqual([]);
  const theirs = await here.call("GET", "/api/v1/contacts", undefined, { key: here.second.key });
  expect(theirs.body.data).toEqual([]);
});
