import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { accountCounts } from "../../db/schema.ts";
import { countAccounts } from "../../src/account-counts/counts.ts";
import { type AccountInput, type AccountRow, accountResource } from "../../src/accounts/resource.ts";
import { createAccount, deleteAccount, updateAccount } from "../../src/accounts/store.ts";
import { notFound } from "../../src/core/resource/resource.ts";
import { select } from "../../src/core/tenant/statements.ts";
import { Tenant } from "../../src/core/tenant/tenant.ts";
import type { TenantTransaction } from "../../src/core/tenant/transaction.ts";
import { receiveEvents } from "../../src/events/store.ts";
import { reactions } from "../../src/reactions.ts";
import { engineOn, migratedDatabase, withSql } from "./database.ts";
import { startCounter } from "./round-trips.ts";

const organizations = [1, 2, 3];
/** Waits for 5 ms. */
const pause = select("tests.postgres.pause", {
  fields: { slept: sql<string>`cast(pg_sleep(0.005) as text)` },
  from: accountCounts,
});

/** Tenants of an engine with one lane, so that the writes of a turn of the event loop are one batch. */
async function tenants() {
  const database = await migratedDatabase();
  const counter = await startCounter(database);
  const engine = await engineOn(counter.url, { connections: { writeLanes: 1 } });
  const services = { engine, reactions, runJob: async () => {} };
  const tenantOf = (organizationId: number) =>
    new Tenant(services, { organizationId, actor: { type: "cli" }, requestId: null });
  const sequences = (organizationId: number) =>
    withSql(database, async (sql): Promise<number[][]> => {
      const rows = await sql`select sequence, resource_id from changes
        where organization_id = ${organizationId} order by sequence`;
      return rows.map((row: Record<string, unknown>) => [Number(row.sequence), Number(row.resource_id)]);
    });
  return { database, tenantOf, sequences, roundTrips: counter.roundTrips };
}

const create = (tenant: Tenant, name: string, externalId?: string) =>
  tenant.write((tx) => createAccount(tx, { name, ...(externalId && { externalId }) }));

test("the creates of a batch take few round trips, whatever their number", async () => {
  const { tenantOf, sequences, roundTrips } = await tenants();
  const tenant = tenantOf(1);
  const createMany = () => Promise.all(Array.from({ length: 30 }, (_, i) => create(tenant, `account ${i}`)));
  const earlier = (await createMany()).length;
  // Other servers are notified of these creates after the commit; of the next ones a second later.
  await Bun.sleep(200);
  const before = roundTrips();
  const created = await createMany();
  // Locks, ids, the first count, the rest, commit.
  expect(roundTrips() - before).toBeLessThanOrEqual(6);
  const ids = created.map(({ id }) => id);
  expect(new Set(ids).size).toBe(30);
  expect((await sequences(1)).slice(earlier)).toEqual(ids.map((id, i) => [earlier + i + 1, id]));
  expect(await tenant.read((snapshot) => countAccounts(snapshot))).toBe(60);
});

test("the creates of a transaction with attributes take few round trips, whatever their number", async () => {
  const { tenantOf, sequences, roundTrips } = await tenants();
  const tenant = tenantOf(1);
  const createMany = () =>
    tenant.write(async (tx) => {
      const rows: number[] = [];
      for (let i = 0; i < 200; i += 1)
        rows.push((await createAccount(tx, { name: `${i}`, attributes: { plan: "pro", seats: i } })).id);
      return rows;
    });
  const earlier = (await createMany()).length;
  // Other servers are notified of these creates after the commit; of the next ones a second later.
  await Bun.sleep(200);
  const before = roundTrips();
  const ids = await createMany();
  // Locks, nine times ids, the names of attributes, the counts, commit.
  expect(roundTrips() - before).toBeLessThanOrEqual(20);
  expect((await sequences(1)).slice(earlier)).toEqual(ids.map((id, i) => [earlier + i + 1, id]));
});

/** Accounts, and writes of them that read their account with the lock, as requests do. */
async function accountWrites(tenant: Tenant, count: number) {
  const ids = (await Promise.all(Array.from({ length: count }, () => create(tenant, "A")))).map(
    ({ id }) => id,
  );
  const write = (id: number, work: (tx: TenantTransaction, row: AccountRow) => Promise<AccountRow>) => {
    const firstRead = accountResource.lookUp(id);
    return tenant.write(
      async (tx) =>
        work(tx, (await tx.first(firstRead.statement, firstRead.values)) ?? notFound("account", id)),
      { firstRead },
    );
  };
  return {
    ids,
    update: (id: number, input: AccountInput) => write(id, (tx) => updateAccount(tx, id, input)),
    increase: (id: number) => write(id, (tx, { mrr }) => updateAccount(tx, id, { mrr: (mrr ?? 0) + 1 })),
    remove: (id: number) =>
      write(id, async (tx, row) => {
        await deleteAccount(tx, id);
        return row;
      }),
  };
}

test("the updates of a batch take few round trips, whatever their number", async () => {
  const { tenantOf, sequences, roundTrips } = await tenants();
  const { ids, update } = await accountWrites(tenantOf(1), 30);
  const updateAll = (mrr: number) => Promise.all(ids.map((id) => update(id, { mrr })));
  await updateAll(1);
  const before = roundTrips();
  const updated = await updateAll(2);
  // Locks with all rows, changes, commit.
  expect(roundTrips() - before).toBeLessThanOrEqual(4);
  expect(updated.map(({ mrr }) => mrr)).toEqual(ids.map(() => 2));
  expect((await sequences(1)).length).toBe(90);
});

test("an update sees what earlier writes of its batch changed", async () => {
  const { tenantOf } = await tenants();
  const { ids, update, remove, increase } = await accountWrites(tenantOf(1), 3);
  const [first = 0, second = 0, third = 0] = ids;
  const results = await Promise.allSettled([
    ...[increase(first), increase(first), increase(second), increase(first)],
    ...[update(second, { externalId: "x" }), increase(second), remove(third), increase(third)],
    increase(first),
  ]);
  expect(
    results.map((result) => (result.status === "fulfilled" ? result.value.mrr : result.reason.code)),
  ).toEqual([1, 2, 1, 3, 1, 2, 0, "not_found", 4]);
});

test("a create that conflicts has its problem, and the others of its batch are stored in the order of the requests", async () => {
  const { tenantOf, sequences } = await tenants();
  const tenant = tenantOf(1);
  const results = await Promise.allSettled(
    ["a", "b", "a", "c", "b", "d"].map((externalId, i) => create(tenant, `account ${i}`, externalId)),
  );
  expect(results.map((result) => (result.status === "fulfilled" ? "stored" : result.reason.code))).toEqual([
    "stored",
    "stored",
    "external_id_conflict",
    "stored",
    "external_id_conflict",
    "stored",
  ]);
  const stored = results.flatMap((result) => (result.status === "fulfilled" ? [result.value.id] : []));
  expect(await sequences(1)).toEqual(stored.map((id, i) => [i + 1, id]));
  expect(await tenant.read((snapshot) => countAccounts(snapshot))).toBe(4);
});

test("counts are right where the first accounts of each status are created, changed and deleted in one batch", async () => {
  const { tenantOf } = await tenants();
  const statuses = ["active", "onboarding", "churned"] as const;
  await Promise.all(
    organizations.flatMap((id) =>
      statuses.flatMap((status, i) => {
        const other = statuses[(i + 1) % 3] ?? "active";
        return Array.from({ length: 3 }, (_, step) =>
          tenantOf(id).write(async (tx) => {
            const account = await createAccount(tx, { name: "A", status });
            if (step > 0) await updateAccount(tx, account.id, { status: other });
            if (step > 1) await deleteAccount(tx, account.id);
          }),
        );
      }),
    ),
  );
  for (const id of organizations)
    for (const status of statuses)
      expect(await tenantOf(id).read((snapshot) => countAccounts(snapshot, status))).toBe(2);
});

test("events are stored once each, also next to copies of themselves and of stored ones", async () => {
  const { tenantOf, roundTrips } = await tenants();
  const tenant = tenantOf(1);
  const { id } = await create(tenant, "A");
  const eventOf = (messageId: string | null) => ({
    event: "Login",
    accountId: id,
    messageId,
    timestamp: tenant.now,
    userId: "u",
    properties: null,
  });
  const receive = (ids: readonly (string | null)[]) =>
    tenant.write((tx) => receiveEvents(tx, ids.map(eventOf)));
  expect(await receive(["a", null, "b", "a", null])).toMatchObject({ accepted: 4, duplicates: 1 });
  const mixed = await receive(["c", "a", "d", null, "c", "b"]);
  expect(mixed).toMatchObject({ accepted: 3, duplicates: 3 });
  expect(mixed.items.map(({ index }) => index)).toEqual([1, 4, 5]);
  // The statements for so many rows are prepared.
  await receive(Array.from({ length: 300 }, (_, i) => `n${i}`));
  const before = roundTrips();
  const many = await receive(Array.from({ length: 300 }, (_, i) => `m${i}`));
  expect(many).toMatchObject({ accepted: 300, duplicates: 0 });
  // The locks, the account, the events, the day, commit.
  expect(roundTrips() - before).toBeLessThanOrEqual(7);
  const again = await receive(Array.from({ length: 301 }, (_, i) => `m${i}`));
  expect(again).toMatchObject({ accepted: 1, duplicates: 300 });
});

test("the creates of a batch have their pending events, and those without some are stored as fast as otherwise", async () => {
  const { tenantOf, roundTrips, database } = await tenants();
  const tenant = tenantOf(1);
  await create(tenant, "first", "first");
  const event = { event: "Login", messageId: null, timestamp: tenant.now, userId: "u", properties: null };
  const pending = Array.from({ length: 8 }, (_, i) => ({ ...event, externalId: `pending ${i}` }));
  expect(await tenant.write((tx) => receiveEvents(tx, pending))).toMatchObject({ parked: 8 });
  const createMany = (prefix: string) =>
    Promise.all(Array.from({ length: 30 }, (_, i) => create(tenant, "A", `${prefix} ${i}`)));
  // The statements for so many rows are prepared.
  await createMany("earlier");
  const before = roundTrips();
  await createMany("other");
  expect(roundTrips() - before).toBeLessThanOrEqual(6);
  const attached = await Promise.all(pending.map(({ externalId }) => create(tenant, "B", externalId)));
  const used = await withSql(database, (sql) => sql`select account_id from usage_days where count = 1`);
  const ids = used.map((row: Record<string, unknown>) => Number(row.account_id));
  expect(ids.sort()).toEqual(attached.map(({ id }) => id).sort());
});

test("after a second, the writes of a batch that have not begun run in another transaction", async () => {
  const { tenantOf, database } = await tenants();
  const tenant = tenantOf(1);
  await create(tenant, "first");
  const batches = () =>
    withSql(database, async (sql) => Number((await sql`select last_batch from write_lanes`)[0].last_batch));
  const before = await batches();
  const slow = () =>
    tenant.write(async (tx) => {
      for (let i = 0; i < 120; i += 1) await tx.first(pause, {});
      return createAccount(tx, { name: "slow" });
    });
  const ids = (await Promise.all([slow(), slow(), slow(), slow()])).map(({ id }) => id);
  expect(new Set(ids).size).toBe(4);
  expect((await batches()) - before).toBeGreaterThan(1);
}, 20_000);
