import { expect, test } from "bun:test";
import { setOrganizationTraits } from "../../src/organizations/settings.ts";
import { createOrganizationWithKey } from "../support/template.ts";
import { connection, emptyDatabase, engineOn, migratedDatabase, withSql } from "./database.ts";
import { startDelay } from "./proxy.ts";
import { startCounter } from "./round-trips.ts";
import { addText, textsOf } from "./rows.ts";
import { copyOn } from "./service-copy.ts";

/** A contact of the address of another contact of its account. */
const refused = (i: number) => ({
  externalId: `a${i}`,
  name: `Account ${i}`,
  contacts: [
    { externalId: `x${i}`, email: `ada${i}@x.io`, name: "Ada" },
    { externalId: `y${i}`, email: `ada${i}@x.io`, name: "Bob" },
  ],
});
const accepted = (i: number) => ({
  ...{ externalId: `a${i}`, name: `Account ${i}`, attributes: { plan: `"{${i}}\\,` } },
  contacts: [{ email: `ada${i}@x.io`, name: i % 2 ? "Ada" : 'O"Neil\\' }],
});

test("the accounts of a batch that fail are stored by no statement of their own for each of the others", async () => {
  const counter = await startCounter(await emptyDatabase());
  const { engine, send } = await copyOn(counter.url);
  const { key } = await createOrganizationWithKey(engine, "Acme");
  const bad = new Set([7, 300, 599]);
  const accounts = Array.from({ length: 600 }, (_, i) => (bad.has(i) ? refused(i) : accepted(i)));
  const before = counter.statements();
  const { status, body } = await send(key, "POST", "/accounts/batch", { accounts });
  expect(counter.statements() - before).toBeLessThan(200);
  expect({ status, created: body.data.created, failed: body.data.failed }).toEqual({
    ...{ status: 200, created: 597, failed: 3 },
  });
  expect(body.data.results[300].problem).toMatchObject({
    code: "contact_email_conflict",
    errors: [{ pointer: "/accounts/300/contacts/1/email" }],
  });
  const page = await send(key, "GET", "/accounts?search=Account%20&pageSize=1");
  expect(page.body.pagination.total).toBe(597);
  const { body: stored } = await send(key, "GET", "/accounts/external/a8?include=attributes");
  expect(stored.data).toMatchObject({ attributes: accepted(8).attributes });
  expect(stored.data.contacts.map(({ name }: { name: string }) => name)).toEqual(['O"Neil\\']);
});

test("contacts that change to taken addresses are refused, whatever their number and the delay to the server", async () => {
  const counter = await startCounter(await emptyDatabase());
  const { engine, send } = await copyOn(await startDelay(counter.url));
  const { key } = await createOrganizationWithKey(engine, "Acme");
  const isBad = (i: number) => i % 3 === 1;
  const upsert = (ada: (i: number) => string) =>
    send(key, "POST", "/accounts/batch", {
      accounts: Array.from({ length: 600 }, (_, i) => ({
        ...{ externalId: `a${i}`, name: `Account ${i}` },
        contacts: [{ externalId: `x${i}`, email: ada(i) }],
      })),
    });
  const others = Array.from({ length: 600 }, (_, i) => ({
    ...{ externalId: `a${i}`, name: `Account ${i}` },
    contacts: [{ externalId: `y${i}`, email: "bob@x.io" }],
  }));
  expect((await send(key, "POST", "/accounts/batch", { accounts: others })).status).toBe(200);
  expect((await upsert(() => "ada@x.io")).status).toBe(200);
  const before = [counter.statements(), counter.roundTrips()] as const;
  const { status, body } = await upsert((i) => (isBad(i) ? "Bob@x.io" : "eve@x.io"));
  expect(counter.statements() - before[0]).toBeLessThan(700);
  expect(counter.roundTrips() - before[1]).toBeLessThan(60);
  expect({ status, updated: body.data.updated, failed: body.data.failed }).toEqual({
    ...{ status: 200, updated: 400, failed: 200 },
  });
  expect(body.data.results[1]).toMatchObject({
    result: "failed",
    problem: { code: "contact_email_conflict", errors: [{ pointer: "/accounts/1/contacts/0/email" }] },
  });
  const page = await send(key, "GET", "/contacts?email=eve@x.io&pageSize=1");
  expect(page.body.pagination.total).toBe(400);
});

test("the other writes of an organization wait for its large write, and other organizations do not", async () => {
  const engine = await engineOn(await migratedDatabase(), { connections: { writeLanes: 1 } });
  const unblock = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const order: string[] = [];
  const large = engine.write(
    1,
    async (tx) => {
      begun.resolve();
      await unblock.promise;
      await addText(tx, 1, "large");
      order.push("large");
    },
    { rowCount: 501 },
  );
  const nextLarge = engine.write(
    2,
    async (tx) => {
      await addText(tx, 2, "next large");
      order.push("next large");
    },
    { rowCount: 1_000 },
  );
  await begun.promise;
  const small = engine.write(1, async (tx) => {
    await addText(tx, 1, "small");
    order.push("small");
  });
  for (const organizationId of [2, 3, 5])
    await engine.write(organizationId, (tx) => addText(tx, organizationId, "other"), { rowCount: 500 });
  expect(order).toEqual([]);
  unblock.resolve();
  await Promise.all([large, nextLarge, small]);
  expect(order.toSorted()).toEqual(["large", "next large", "small"]);
  expect(order[0]).toBe("large");
  expect(await engine.read((snapshot) => textsOf(snapshot, 1))).toEqual(["large", "small"]);
  expect(await engine.read((snapshot) => textsOf(snapshot, 2))).toEqual(["other", "next large"]);
});

test("a small write runs before the next large write of its organization", async () => {
  const engine = await engineOn(await migratedDatabase(), { connections: { writeLanes: 1 } });
  const begun = Promise.withResolvers<void>();
  const unblock = Promise.withResolvers<void>();
  const order: string[] = [];
  const large = (name: string, before?: Promise<void>) =>
    engine.write(
      1,
      async (tx) => {
        begun.resolve();
        await before;
        await addText(tx, 1, name);
        order.push(name);
      },
      { rowCount: 501 },
    );
  const writes = [large("first", unblock.promise), large("second"), large("third")];
  await begun.promise;
  const small = engine.write(1, async (tx) => {
    await addText(tx, 1, "small");
    order.push("small");
  });
  unblock.resolve();
  await Promise.all([...writes, small]);
  expect(order).toEqual(["first", "small", "second", "third"]);
});

test("closing waits for the large write that is running, and rejects those that wait", async () => {
  const url = await migratedDatabase();
  const engine = await engineOn(url);
  const begun = Promise.withResolvers<void>();
  const large = (organizationId: number, text: string) =>
    engine.write(
      organizationId,
      async (tx) => {
        begun.resolve();
        await addText(tx, organizationId, text);
      },
      { rowCount: 501 },
    );
  const outcomes = Promise.allSettled([large(1, "running"), large(2, "waiting")]);
  await begun.promise;
  await engine.close();
  expect((await outcomes).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  const other = await engineOn(url);
  expect(await other.read((snapshot) => textsOf(snapshot, 2))).toEqual([]);
});

/** Large requests that change contacts with the external ids u0 to u500 of the account `a`. */
const largeRequests = [
  ["the DELETE of an account with many rows", "DELETE", "/api/v1/accounts/external/a", undefined],
  [
    "the traits of many users",
    "POST",
    "/v1/batch",
    {
      batch: Array.from({ length: 501 }, (_, i) => ({
        ...{ type: "identify", messageId: `${i}`, userId: `u${i}`, context: { groupId: "a" } },
        ...{ traits: { name: "Bob" } },
      })),
    },
  ],
  [
    "the last-seen times of many users",
    "POST",
    "/api/v1/last-seen",
    {
      items: Array.from({ length: 501 }, (_, i) => ({
        userId: `u${i}`,
        source: "chat",
        lastSeenAt: "2026-01-01",
      })),
    },
  ],
] as const;

test.each(largeRequests)("other organizations do not wait for %s", async (_, method, path, body) => {
  const url = await emptyDatabase();
  const { engine, send } = await copyOn(url, { connections: { writeLanes: 1 } });
  const [first, second] = [
    await createOrganizationWithKey(engine, "Acme"),
    await createOrganizationWithKey(engine, "Globex"),
  ];
  await setOrganizationTraits(engine, first.id, true);
  const contacts = Array.from({ length: 501 }, (_, i) => ({ externalId: `u${i}`, name: "Ada" }));
  const accounts = [{ externalId: "a", name: "A", contacts }];
  expect((await send(first.key, "POST", "/accounts/batch", { accounts })).status).toBe(200);
  const other = connection(url);
  let request: Promise<{ status: number }> | undefined;
  await other.begin(async (tx) => {
    // The request waits for the row.
    await tx`select id from contacts where external_id = 'u500' for update`;
    request = send(first.key, method, path, body);
    const isWaiting = async () =>
      (await withSql(url, (sql) => sql`select 1 from pg_locks where not granted`)).length > 0;
    while (!(await isWaiting())) await Bun.sleep(5);
    expect((await send(second.key, "POST", "/accounts", { name: "B" })).status).toBe(201);
    expect(await isWaiting()).toBe(true);
  });
  expect((await request)?.status).toBe(method === "DELETE" ? 204 : 200);
});
