import { heapSize } from "bun:jsc";
import { expect, test } from "bun:test";
import type { Engine, Snapshot } from "../../db/engine.ts";
import { RecordedContacts } from "../../src/erasures/links.ts";
import { Person } from "../../src/erasures/person.ts";
import { erasePerson } from "../../src/erasures/store.ts";
import { someOf } from "../support/seeds.ts";
import type { Body } from "../support/world.ts";
import { erasureWorld, nothing } from "./erasure-world.ts";

const eve = "eve@x.example";
type Contact = { accountId?: number; email?: string; userId?: string; externalId?: string };

/** An erasure world with two accounts. */
async function personWorld() {
  const here = await erasureWorld();
  const { send, erase } = here;
  await here.account({ name: "Globex", externalId: "globex" });

  return {
    ...here,
    /** Creates a contact, with its address or external id as its name; resolves with its id. */
    async contact({ accountId = 1, ...members }: Contact): Promise<number> {
      const body = { name: members.email ?? members.externalId ?? members.userId, ...members };
      return Number((await send("POST", `/api/v1/accounts/${accountId}/contacts`, body)).id);
    },
    change: (id: number, body: Body) => send("PATCH", `/api/v1/contacts/${id}`, body),
    remove: (id: number) => send("DELETE", `/api/v1/contacts/${id}`),
    /** Stores one event of each user. */
    sendEvents: (...users: string[]) =>
      send("POST", "/api/v1/events", {
        events: users.map((userId) => ({ event: "login", externalId: "acme", userId })),
      }),
    /** The ids of the contacts. */
    async contactIds(): Promise<number[]> {
      const rows = (await send("GET", "/api/v1/contacts?sortBy=createdAt")) as unknown as { id: number }[];
      return rows.map(({ id }) => id).sort((a, b) => a - b);
    },
    /** The users of the stored events. */
    users: async () =>
      (await here.rows<{ user: string }>("SELECT user_id AS \"user\" FROM events WHERE user_id <> ''")).map(
        ({ user }) => user,
      ),
    /** Erases after a dry run with the same counts; a repeated erasure finds nothing. Returns the counts. */
    async eraseAll(body: Body): Promise<Body> {
      const before = await here.content();
      const dry = await erase(body, { query: "?dryRun=true" });
      expect(await here.content()).toBe(before);
      const erased = await erase(body);
      expect([erased.status, erased.body]).toEqual([200, dry.body]);
      expect((await erase(body)).body.data).toEqual(nothing);
      return erased.body.data;
    },
  };
}

test.each([[{ email: eve }], [{ userId: "u1" }]])(
  "the address and the externalId of a contact are one person: %j",
  async (keys) => {
    const here = await personWorld();
    await here.contact({ externalId: "u1", email: eve });
    await here.contact({ accountId: 2, email: eve.toUpperCase() });
    const other = await here.contact({ externalId: "u2", email: "bob@x.example" });
    await here.sendEvents("u1", eve, "u2");
    expect(await here.eraseAll(keys)).toMatchObject({ contacts: 2, events: 2, usageUsers: 2, changes: 4 });
    expect([await here.contactIds(), await here.users()]).toEqual([[other], ["u2"]]);
    expect((await here.content()).toLowerCase()).not.toContain(eve);
  },
);

test.each([[{ email: eve }], [{ userId: "u1" }], [{ userId: "old" }]])(
  "an erasure follows the address, the userId and the externalId: %j",
  async (keys) => {
    const here = await personWorld();
    await here.contact({ userId: "u1", externalId: "old", email: eve });
    await here.contact({ accountId: 2, email: eve });
    // The person before it had a userId.
    await here.contact({ externalId: "u1" });
    await here.sendEvents("u1", eve, "old", "u2");
    expect(await here.eraseAll(keys)).toMatchObject({ contacts: 3, events: 3, changes: 6 });
    expect([await here.contactIds(), await here.users()]).toEqual([[], ["u2"]]);
    expect(await here.content()).not.toContain(eve);
  },
);

test("a userId of a deleted contact, and one that a contact had before, are of the person", async () => {
  const here = await personWorld();
  const deleted = await here.contact({ userId: "u1", email: eve });
  await here.change(deleted, { email: "new@x.example" });
  await here.remove(deleted);
  const changed = await here.contact({ userId: "u2", email: eve });
  await here.change(changed, { userId: "u3" });
  const other = await here.contact({ userId: "u4" });
  await here.change(other, { userId: "u5" });
  await here.sendEvents("u1", "u2", "u3", "u4", "new@x.example");
  expect(await here.eraseAll({ email: eve })).toMatchObject({ contacts: 1, events: 4 });
  expect([await here.contactIds(), await here.users()]).toEqual([[other], ["u4"]]);
  expect(await here.content()).not.toMatch(/x\.example|"u[123]"/);
  // The contact has another userId now: it stays, without the earlier one in its changes.
  expect(await here.eraseAll({ userId: "u4" })).toMatchObject({ contacts: 0, events: 1, changes: 2 });
  expect([await here.contactIds(), await here.users()]).toEqual([[other], []]);
});

test.each([[{ email: "1@x.example" }], [{ userId: "u3" }], [{ userId: "u6" }], [{ email: "6@x.example" }]])(
  "contacts are linked by any number of addresses and user ids, also from the middle: %j",
  async (keys) => {
    const here = await personWorld();
    const email = (i: number) => `${i}@x.example`;
    for (let i = 1; i <= 6; i += 1) {
      await here.contact({ externalId: `u${i}`, email: email(i) });
      await here.remove(await here.contact({ accountId: 2, externalId: `u${i + 1}`, email: email(i) }));
    }
    await here.contact({ accountId: 2, externalId: "other", email: "other@x.example" });
    const data = await here.eraseAll(keys);
    expect(data).toMatchObject({ contacts: 6 });
    expect(await here.contactIds()).toHaveLength(1);
    expect(await here.content()).not.toMatch(/\d@x\.example|\bu\d\b/);
  },
);

test("a user id that is the address, in any letter case, is of the person", async () => {
  const here = await personWorld();
  await here.contact({ externalId: eve });
  await here.remove(await here.contact({ externalId: "Eve@X.example" }));
  await here.sendEvents("EVE@x.example");
  expect(await here.eraseAll({ email: eve })).toMatchObject({ contacts: 1, events: 1, changes: 4 });
  expect((await here.content()).toLowerCase()).not.toContain(eve);
});

test("a contact that was deleted with its account links what it had at one time, also by changes of one of both", async () => {
  const here = await personWorld();
  const { id: accountId } = await here.account({ name: "Gone" });
  const moved = await here.contact({ accountId, email: eve });
  await here.change(moved, { externalId: "u1" });
  await here.change(moved, { email: "new@x.example" });
  await here.send("DELETE", `/api/v1/accounts/${accountId}`);
  await here.sendEvents("u1", eve, "new@x.example");
  expect(await here.eraseAll({ email: "new@x.example" })).toMatchObject({ events: 3 });
});

test("a deleted contact that first had the address of another person, then another address and id, does not link them", async () => {
  const here = await personWorld();
  const desk = await here.contact({ externalId: "u1", email: eve });
  await here.change(desk, { externalId: "u2", email: "bob@x.example", name: "Bob" });
  await here.remove(desk);
  await here.contact({ accountId: 2, email: "bob@x.example" });
  await here.sendEvents("u1", "u2");
  expect(await here.eraseAll({ userId: "u1" })).toMatchObject({ contacts: 0, events: 1 });
  expect(await here.users()).toEqual(["u2"]);
});

test("a contact that has another address and user id now is another person; its changes lose these of the person", async () => {
  const here = await personWorld();
  const desk = await here.contact({ externalId: "u1", email: eve });
  await here.change(desk, { externalId: "desk", email: "desk@x.example", name: "Desk" });
  await here.sendEvents("u1", "desk");
  expect(await here.eraseAll({ userId: "u1" })).toMatchObject({ contacts: 0, events: 1 });
  expect([await here.contactIds(), await here.users()]).toEqual([[desk], ["desk"]]);
  expect(await here.content()).not.toMatch(/\bu1\b/);
});

test("a contact of the person links the address that it had before", async () => {
  const here = await personWorld();
  const first = await here.contact({ externalId: "u1", email: eve });
  await here.change(first, { email: "new@x.example" });
  await here.contact({ accountId: 2, email: eve });
  await here.sendEvents("u1", eve);
  expect(await here.eraseAll({ userId: "u1" })).toMatchObject({ contacts: 2, events: 2 });
  expect(await here.content()).not.toContain(eve);
});

test.each(
  someOf(
    Array.from({ length: 14 }, (_, i) => i),
    4,
  ),
)(
  "an erasure of linked contacts that fails after %i transactions is completed by a repeated one",
  async (count) => {
    const here = await personWorld();
    const email = (i: number) => `${i}@x.example`;
    for (let i = 0; i < 3; i += 1) {
      const deleted = await here.contact({ externalId: `u${i}`, email: email(i) });
      // So many changes that the contact is erased in several transactions.
      for (let change = 0; change < 60; change += 1) await here.change(deleted, { name: `${eve} ${change}` });
      await here.remove(deleted);
      const stored = await here.contact({ accountId: 2, externalId: `v${i}`, email: email(i) });
      await here.execute(`UPDATE contacts SET user_id = 'u${i + 1}' WHERE id = ${stored}`);
    }
    await here.sendEvents("u0", "u1", "u3", "v2", email(2));
    const endFailure = here.interruptAfter(count);
    const isComplete = await erasePerson(here.tenant(), { userId: "u0" }, false).then(
      () => true,
      () => false,
    );
    expect(isComplete).toBe(!endFailure());
    await here.erase({ userId: "u0" });
    expect([await here.contactIds(), await here.users()]).toEqual([[], []]);
    expect(await here.content()).not.toMatch(/@x\.example|\b[uv]\d\b/);
    expect((await here.erase({ userId: "u0" })).body.data).toEqual(nothing);
  },
);

test("an erasure reads the change log as often for a chain of 100 contacts as for a chain of 2", async () => {
  const pageCounts = [];
  for (const length of [1, 50]) {
    const here = await personWorld();
    for (let i = 0; i < length; i += 1) {
      await here.remove(await here.contact({ externalId: `u${i}`, email: `${i + 1}@x.example` }));
      await here.contact({ accountId: 2, externalId: `v${i}`, email: `${i}@x.example` });
      await here.execute(`UPDATE contacts SET user_id = 'u${i}' WHERE external_id = 'v${i}'`);
    }
    const countReads = recordReads(here.engine);
    expect(await erasePerson(here.tenant(), { userId: `u${length - 1}` }, false)).toMatchObject({
      contacts: length,
      changes: 4 * length,
    });
    pageCounts.push(countReads("erasures.changes"));
  }
  expect(pageCounts[0]).toBeGreaterThan(0);
  expect(pageCounts[1]).toBe(pageCounts[0]);
});

test("the deleted contacts of other persons need little memory, and are found", async () => {
  const here = await personWorld();
  await here.execute(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
    INSERT INTO changes
      (organization_id, sequence, resource, action, resource_id, account_id, changed_at, actor_type, before)
    SELECT 1, 1000 + i, 'contact', 'deleted', i, 1, 0, 'cli',
      '{"email":"p' || i || '@x.example","externalId":"crm ' || i || '","userId":"user ' || i || '"}' FROM n`);
  const usedBytes = () => {
    Bun.gc(true);
    return heapSize();
  };
  const before = usedBytes();
  const recorded = await RecordedContacts.read(here.tenant());
  expect(usedBytes() - before).toBeLessThan(5_000_000);
  const email = "p7@x.example";
  const added = { addresses: [email], userIds: [], contactIds: [] };
  expect(await recorded.findLinks(added, new Person({ email }))).toEqual([
    { row: 7, email, userIds: ["user 7", "crm 7"] },
  ]);
});

/** Returns a function that counts how often the engine has run a statement from now on, outside transactions. */
function recordReads(engine: Engine): (name: string) => number {
  const names: string[] = [];
  const read = engine.read.bind(engine);
  engine.read = (fn, options) =>
    read((snapshot) => {
      const all: Snapshot["all"] = (statement, values) => {
        names.push(statement.name);
        return snapshot.all(statement, values);
      };
      const first: Snapshot["first"] = (statement, values) => snapshot.first(statement, values);
      return fn({
        now: snapshot.now,
        first,
        all,
      });
    }, options);
  return (name) => names.filter((read) => read === name).length;
}
