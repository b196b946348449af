import { expect, test } from "bun:test";
import type { Engine } from "../../db/engine.ts";
import { Tenant } from "../../src/core/tenant/tenant.ts";
import { Person } from "../../src/erasures/person.ts";
import { erasePerson } from "../../src/erasures/store.ts";
import { eraseUsageUsers } from "../../src/erasures/usage.ts";
import { setOrganizationTraits } from "../../src/organizations/settings.ts";
import { reactions } from "../../src/reactions.ts";
import { erasureWorld } from "./erasure-world.ts";

const [old, current] = ["old@x.io", "new@x.io"];

test("erasures of two persons by two servers keep no value in a change or reply of both", async () => {
  const here = await erasureWorld();
  const contact = await here.send("POST", "/api/v1/accounts/1/contacts", { name: "One", email: old });
  await here.send("PATCH", `/api/v1/contacts/${contact.id}`, { email: current });
  const operations = [
    { method: "PATCH", path: `/api/v1/contacts/${contact.id}`, body: { name: "One again" } },
    { method: "POST", path: "/api/v1/accounts/1/contacts", body: { name: "Two", email: old } },
  ];
  await here.send("POST", "/api/v1/batch", { mode: "atomic", operations }, { "idempotency-key": "both" });

  await Promise.all(
    [old, current].map((email) => erasePerson(tenantOf(here, { ...here.engine }), { email }, false)),
  );

  const content = await here.content();
  expect(content).not.toContain(old);
  expect(content).not.toContain(current);
});

test("erasures of one person by two servers keep the numbers of users: the person has 2,500 accounts on a day", async () => {
  const here = await erasureWorld();
  const userId = "user of all";
  for (let start = 0; start < 2_500; start += 500) {
    const ids = Array.from({ length: 500 }, (_, i) => `all-${start + i}`);
    await here.send("POST", "/api/v1/accounts/batch", {
      accounts: ids.map((externalId) => ({ externalId, name: "Account" })),
    });
    const event = { event: "login", timestamp: "2026-01-01T10:00:00Z" };
    const eventsOf = (externalId: string) => [
      { ...event, externalId, userId: "other", messageId: `${externalId}-other` },
      { ...event, externalId, userId, messageId: externalId },
    ];
    await here.send("POST", "/api/v1/events", { events: ids.flatMap(eventsOf) });
  }
  const usersOfDay = () => here.rows("SELECT users, account_count FROM usage_sums");
  const before = await usersOfDay();
  expect(before).toEqual([{ users: 2, account_count: 2_500 }]);

  const { promise: haveBothFound, resolve } = Promise.withResolvers<void>();
  let waitingCount = 0;
  const eraseInServer = () => {
    const { engine } = here;
    const write: Engine["write"] = async (...args) => {
      waitingCount += 1;
      if (waitingCount === 2) resolve();
      await haveBothFound;
      return engine.write(...args);
    };
    const person = new Person({ userId });
    return eraseUsageUsers(tenantOf(here, { ...engine, write }), person, false);
  };

  expect(await Promise.all([eraseInServer(), eraseInServer()])).toEqual([2_500, 2_500]);
  expect(await usersOfDay()).toEqual(before);
  const sums = await here.rows("SELECT account_count FROM usage_sum_users");
  expect(sums).toEqual([{ account_count: 2_500 }, { account_count: 2_500 }]);
  const users = await here.rows("SELECT count(DISTINCT user_id) AS users, count(*) AS rows FROM usage_users");
  expect(users).toEqual([{ users: 1, rows: 2_500 }]);
});

test("erasures of two persons by two servers hash message ids with one key", async () => {
  const here = await erasureWorld();
  const users = ["u1", "u2"];
  const event = { event: "login", externalId: "acme" };
  const events = users.flatMap((userId) =>
    Array.from({ length: 150 }, (_, i) => ({ ...event, userId, messageId: `${userId}/${i}` })),
  );
  const receive = async () => here.send("POST", "/api/v1/events", { events });
  expect(await receive()).toMatchObject({ accepted: 300 });
  await Promise.all(
    [...users, ...users].map((userId) => erasePerson(tenantOf(here, { ...here.engine }), { userId }, false)),
  );
  expect(
    await here.rows("SELECT 1 AS one FROM organization_settings WHERE message_id_key IS NOT NULL"),
  ).toEqual([{ one: 1 }]);
  expect(await here.rows("SELECT id FROM events WHERE message_id NOT LIKE 'erased-%'")).toEqual([]);
  expect(await receive()).toMatchObject({ accepted: 0, duplicates: 300 });
});

test("erasures of one person by two servers, by its address and by its user id, erase all that is linked", async () => {
  const here = await erasureWorld();
  await setOrganizationTraits(here.engine, here.first.id, true);
  for (let i = 0; i < 5; i += 1) {
    const path = "/api/v1/accounts/1/contacts";
    const deleted = await here.send("POST", path, { name: "A", email: `${i}@x.io`, externalId: `u${i + 1}` });
    await here.send("DELETE", `/api/v1/contacts/${deleted.id}`);
    await here.send("POST", path, { name: "A", email: `${i}@x.io`, externalId: `u${i}` });
  }
  await Promise.all(
    [{ email: "4@x.io" }, { userId: "u0" }].map((keys) =>
      erasePerson(tenantOf(here, { ...here.engine }), keys, false),
    ),
  );
  expect(await here.send("GET", "/api/v1/contacts")).toEqual([] as never);
  expect(await here.content()).not.toMatch(/@x\.io|\bu\d\b/);
});

/** The erasures of one engine object run one after another. */
function tenantOf({ first }: { first: { id: number } }, engine: Engine): Tenant {
  const services = { engine, reactions, runJob: async () => {} };
  return new Tenant(services, { organizationId: first.id, actor: { type: "cli" }, requestId: null });
}
