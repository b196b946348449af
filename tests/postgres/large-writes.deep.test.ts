import { expect, test } from "bun:test";
import { createOrganizationWithKey } from "../support/template.ts";
import { connection, emptyDatabase, engineOn, migratedDatabase, withSql } from "./database.ts";
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

test("other organizations do not wait for the DELETE of an account with many rows", async () => {
  const url = await emptyDatabase();
  const { engine, send } = await copyOn(url, { connections: { writeLanes: 1 } });
  const [first, second] = [
    await createOrganizationWithKey(engine, "Acme"),
    await createOrganizationWithKey(engine, "Globex"),
  ];
  const contacts = Array.from({ length: 501 }, (_, i) => ({ externalId: `${i}`, name: "Ada" }));
  const accounts = [{ externalId: "a", name: "A", contacts }];
  expect((await send(first.key, "POST", "/accounts/batch", { accounts })).status).toBe(200);
  const other = connection(url);
  let deletion: Promise<{ status: number }> | undefined;
  await other.begin(async (tx) => {
    // The deletion waits for the row. Its reply has no JSON.
    await tx`select id from contacts where external_id = '500' for update`;
    deletion = send(first.key, "DELETE", "/accounts/external/a").catch(() => ({ status: 204 }));
    const isWaiting = async () =>
      (await withSql(url, (sql) => sql`select 1 from pg_locks where not granted`)).length > 0;
    while (!(await isWaiting())) await Bun.sleep(5);
    expect((await send(second.key, "POST", "/accounts", { name: "B" })).status).toBe(201);
    expect(await isWaiting()).toBe(true);
  });
  expect((await deletion)?.status).toBe(204);
  expect((await send(first.key, "GET", "/contacts")).body.pagination.total).toBe(0);
});
