import { expect, test } from "bun:test";
import { asc, eq } from "drizzle-orm";
import { input, inputs, integerInput } from "../../db/expressions.ts";
import { accountCounts, accounts, events } from "../../db/schema.ts";
import { insert, remove, select, update } from "../../src/core/tenant/statements.ts";
import type { Reaction } from "../../src/core/tenant/transaction.ts";
import { world } from "../support/world.ts";

const allNames = select("tests.tenant.names", {
  fields: { id: accounts.id, name: accounts.name },
  from: accounts,
  orderBy: [asc(accounts.id)],
});
const rename = update("tests.tenant.rename", {
  table: accounts,
  set: inputs(accounts, "name"),
  where: eq(accounts.id, integerInput("id")),
});
const removeCounts = remove("tests.tenant.removeCounts", {
  from: accountCounts,
  where: eq(accountCounts.status, input("status")),
});
const insertEvent = insert("tests.tenant.insertEvent", {
  into: events,
  values: inputs(events, "event", "timestamp", "receivedAt"),
});
const eventCount = select("tests.tenant.events", { fields: { id: events.id }, from: events });

test("a change resolves with the value of its function, also after a pause", async () => {
  const { tenant } = await world();
  const order: string[] = [];
  const value = await tenant().write(async (tx) => {
    setImmediate(() => order.push("another turn"));
    await tx.pause();
    order.push("after the pause");
    return 7;
  });
  expect([value, order]).toEqual([7, ["another turn", "after the pause"]]);
});

test("statements are bound to the tenant's organization, whatever organizationId the values have", async () => {
  const { tenant, account, first, second } = await world();
  await account({ name: "Mine" });
  await account({ name: "Theirs" }, { key: second.key });
  const organizationId = second.id;
  const found: unknown[] = await tenant(first.id).write(async (tx) => [
    await tx.all(allNames, { organizationId }),
    await tx.first(allNames, { organizationId }),
    await tx.findRare(allNames, { organizationId }),
    await tx.count(rename, { organizationId, id: 2, name: "Taken" }),
    await tx.run(rename, { organizationId, id: 2, name: "Taken" }),
    await tx.count(removeCounts, { organizationId, status: "active" }),
    (await tx.insert(insertEvent, { organizationId, event: "login", timestamp: 1, receivedAt: 1 })) > 0,
    await tx.insertAll(insertEvent, [{ organizationId, event: "login", timestamp: 1, receivedAt: 1 }]),
    await tx.nextSequence(),
  ]);
  const mine = { id: 1, name: "Mine" };
  expect(found).toEqual([[mine], mine, mine, 0, undefined, 1, true, [true], 2]);
  const theirs: unknown[] = await tenant(second.id).read(async (snapshot) => [
    await snapshot.all(allNames, { organizationId: first.id }),
    await snapshot.first(allNames, { organizationId: first.id }),
    await snapshot.all(eventCount, {}),
  ]);
  expect(theirs).toEqual([[{ id: 2, name: "Theirs" }], { id: 2, name: "Theirs" }, []]);
});

test("reactions to a change of a resource run in order, in its transaction, and can reject it", async () => {
  const log: string[] = [];
  const reaction = (name: string, resource: Reaction["resource"]): Reaction => ({
    name,
    resource,
    async react(tx, { action, id }) {
      const names = await tx.all(allNames, {});
      log.push(`${name} ${action} ${id} of ${names.length}`);
      if (name === "last" && action === "updated") throw new Error("not this one");
    },
  });
  const reactions = [reaction("first", "account"), reaction("other", "meeting"), reaction("last", "account")];
  const { call, tenant } = await world({ reactions });
  expect((await call("POST", "/api/v1/accounts", { name: "Acme" })).status).toBe(201);
  expect((await call("PATCH", "/api/v1/accounts/1", { name: "Other" })).status).toBe(500);
  expect(await tenant().read((snapshot) => snapshot.all(allNames, {}))).toEqual([{ id: 1, name: "Acme" }]);
  expect((await call("DELETE", "/api/v1/accounts/1")).status).toBe(204);
  expect(log).toEqual([
    "first created 1 of 1",
    "last created 1 of 1",
    "first updated 1 of 1",
    "last updated 1 of 1",
    "first deleted 1 of 1",
    "last deleted 1 of 1",
  ]);
});
