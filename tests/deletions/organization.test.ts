import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { tenantTables } from "../../db/tables.ts";
import { listKeys } from "../../src/api-keys/store.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { deleteOrganization } from "../../src/organizations/delete.ts";
import { createOrganization, findOrganization, listOrganizations } from "../../src/organizations/store.ts";
import { reactions } from "../../src/reactions.ts";
import { operatorOf } from "../support/operator.ts";
import { accounts, marker, organizationWorld, schemaTables, tables } from "./organization-world.ts";

type World = Awaited<ReturnType<typeof organizationWorld>>;

function expectDeleted({ rowsOf, one }: World): void {
  expect(Object.entries(rowsOf(one.id)).filter(([, count]) => count > 0)).toEqual([]);
}

test("the list of tables to delete from has every table of the schema, referencing tables first", () => {
  const order = tenantTables.map(({ table }) => getTableConfig(table as SQLiteTable).name);
  expect(order.toSorted()).toEqual(tables);
  for (const { name, foreignKeys } of schemaTables)
    for (const { foreignTable } of foreignKeys.map((key) => key.reference())) {
      const referenced = getTableConfig(foreignTable).name;
      if (referenced !== "organizations")
        expect([name, referenced, order.indexOf(name) < order.indexOf(referenced)]).toEqual([
          name,
          referenced,
          true,
        ]);
    }
});

test("every row of a deleted organization is deleted, and no row of another one", async () => {
  const here = await organizationWorld();
  const { engine, one, other, rowsOf, visibleToOther } = here;
  // Both need a row in each table; otherwise the test would not find a table that is missing in the list.
  for (const { id } of [one, other])
    expect(Object.entries(rowsOf(id)).filter(([, count]) => count === 0)).toEqual([]);
  const before = [await visibleToOther(), rowsOf(other.id)];
  await deleteOrganization(engine, one.id);
  expectDeleted(here);
  expect([await visibleToOther(), rowsOf(other.id)]).toEqual(before);
});

test("from the first step on the keys are invalid, the organization is hidden, and its name is free", async () => {
  const here = await organizationWorld();
  const { call, engine, jobs, one } = here;
  const { status } = await call("GET", accounts, undefined, { key: one.key });
  expect(status).toBe(200);
  const deleting = deleteOrganization(engine, one.id);
  // Transactions run in order, so the first step has ended after this one.
  await engine.write(0, async () => {});
  expect(await jobs.listDue([one.id])).toMatchObject([
    { organizationId: one.id, jobs: expect.arrayContaining(["organization deletions"]) },
  ]);
  const reply = await call("GET", accounts, undefined, { key: one.key });
  const unknown = await call("GET", accounts, undefined, { key: `${one.key.slice(0, -1)}!` });
  expect([reply.status, reply.text]).toEqual([401, unknown.text]);
  expect(await listKeys(engine, one.id)).toEqual([]);
  expect((await listOrganizations(engine)).map(({ id }) => id)).not.toContain(one.id);
  expect(await findOrganization(engine, String(one.id))).toBeUndefined();
  expect(await findOrganization(engine, one.name)).toBeUndefined();
  const again = await createOrganization(engine, one.name);
  expect(again.id).toBeGreaterThan(one.id);
  await deleting;
  expectDeleted(here);
  expect(await findOrganization(engine, one.name)).toEqual(again);
  expect(await jobs.listDue([one.id])).toEqual([]);
});

test.each([0, 1, 7])(
  "a deletion that was interrupted after %d steps continues after a restart",
  async (steps) => {
    const here = await organizationWorld();
    const { engine, file, now, one, other, rowsOf, visibleToOther } = here;
    const before = [await visibleToOther(), rowsOf(other.id).accounts];
    // Later writes fail, as if the process had ended.
    let remaining = steps + 1;
    const ending: typeof engine = {
      ...engine,
      write: (id, fn) => (remaining-- > 0 ? engine.write(id, fn) : Promise.reject(new Error("ended"))),
    };
    await expect(deleteOrganization(ending, one.id)).rejects.toThrow("ended");
    expect(rowsOf(one.id)).toMatchObject({ organizations: 1, api_keys: 0, accounts: 1 });
    const restarted = openDatabase(file, { clock: now });
    const jobs = createJobs({ engine: restarted, reactions, eventDays: 35, changeDays: 400 });
    await runDueJobs({ engine: restarted, jobs });
    await restarted.close();
    expectDeleted(here);
    expect([await visibleToOther(), rowsOf(other.id).accounts]).toEqual(before);
  },
);

test("the score job does not fail between the steps of the deletion", async () => {
  const here = await organizationWorld();
  const { engine, jobs, one, now, call, rowsOf } = here;
  const contactActivityAt = new Date(now()).toISOString();
  const changed = await call("PATCH", `${accounts}/${one.account}`, { contactActivityAt }, { key: one.key });
  expect(changed.status).toBe(200);
  let isBegun = false;
  const ending: typeof engine = {
    ...engine,
    write: (id, fn) => {
      if (isBegun) return Promise.reject(new Error("ended"));
      isBegun = true;
      return engine.write(id, fn);
    },
  };
  await expect(deleteOrganization(ending, one.id)).rejects.toThrow("ended");
  // The score job stores its progress again.
  const lasting = ["organizations", "health_progress"];
  const hasRows = () =>
    Object.entries(rowsOf(one.id)).some(([table, count]) => count > 0 && !lasting.includes(table));
  let stepCount = 0;
  for (; hasRows(); stepCount += 1) {
    await jobs.steps.scores?.(jobs.tenant(one.id));
    for (const _ of [1, 2]) await jobs.deleteOrganization(one.id);
  }
  expect(stepCount).toBeGreaterThan(5);
  while (await jobs.deleteOrganization(one.id));
  await jobs.steps.scores?.(jobs.tenant(one.id));
  expectDeleted(here);
});

test("a large organization is deleted in batches, between which other requests run", async () => {
  const here = await organizationWorld();
  const { engine, file, one, other } = here;
  {
    using database = new Database(file);
    database.run(
      `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20000)
       INSERT INTO events (organization_id, account_id, event, timestamp, received_at)
       SELECT ?, ?, 'opened', 0, 9e12 FROM n`,
      [one.id, one.account],
    );
  }
  let isDone = false;
  const deleting = deleteOrganization(engine, one.id).finally(() => {
    isDone = true;
  });
  let requests = 0;
  for (; !isDone; requests += 1) await other.send("PATCH", `${accounts}/${other.account}`, { mrr: requests });
  await deleting;
  expect(requests).toBeGreaterThan(10);
  expectDeleted(here);
});

test("requests with its key during the deletion are 401, or their rows are deleted too", async () => {
  const here = await organizationWorld();
  const { call, engine, one } = here;
  const options = { key: one.key };
  let isDone = false;
  const statuses: number[] = [];
  const deleting = deleteOrganization(engine, one.id).finally(() => {
    isDone = true;
  });
  for (let index = 0; !isDone; index += 1) {
    const events = [{ event: "read", externalId: marker }];
    const replies = await Promise.all([
      call("POST", accounts, { name: `New ${index}`, contactName: "Ada" }, options),
      call("POST", "/api/v1/events", { events }, options),
      call("GET", "/api/v1/health", undefined, options),
    ]);
    statuses.push(...replies.map(({ status }) => status));
    await Bun.sleep(0);
  }
  await deleting;
  expect(new Set(statuses)).toContain(401);
  for (const status of statuses) expect([200, 201, 401]).toContain(status);
  expectDeleted(here);
});

test("a key that is created while the deletion begins is rejected, not created without effect", async () => {
  const { engine, one } = await organizationWorld();
  const organization = one.name;
  const { request } = operatorOf(engine);
  const [deleted, created] = await Promise.allSettled([
    request("/operator/organization", { method: "DELETE", organization }),
    request("/operator/keys", {
      method: "POST",
      organization,
      body: { name: "", expiresAt: null, expiresAfter: null, rateLimit: null },
    }),
  ]);
  expect(deleted.status).toBe("fulfilled");
  expect(created).toMatchObject({ status: "rejected", reason: { code: "not_found" } });
});

test("the deletion of an organization that is already deleted changes nothing", async () => {
  const here = await organizationWorld();
  await deleteOrganization(here.engine, here.one.id);
  while (await here.jobs.deleteOrganization(here.one.id));
  await deleteOrganization(here.engine, here.one.id);
  expectDeleted(here);
});

test("after a delete neither the file nor the WAL has a text of the organization", async () => {
  const here = await organizationWorld();
  const { file, now, one } = here;
  // Another connection than that of the requests above.
  const engine = openDatabase(file, { clock: now });
  expect(occurrences(file)).toBeGreaterThan(50);
  const { request } = operatorOf(engine);
  const deleted = await request("/operator/organization", { method: "DELETE", organization: one.name });
  expect(deleted).toMatchObject({ id: one.id, name: one.name });
  expect(occurrences(file)).toBe(0);
  await engine.close();
  expectDeleted(here);
});

/** The number of times that the marker occurs in the database's files, in any letter case. */
function occurrences(file: string): number {
  const paths = ["", "-wal", "-journal"].map((suffix) => file + suffix).filter(existsSync);
  const texts = paths.map((path) => readFileSync(path).toString("latin1").toLowerCase());
  return texts.reduce((sum, text) => sum + text.split(marker).length - 1, 0);
}
