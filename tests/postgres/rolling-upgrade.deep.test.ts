import { expect, test } from "bun:test";
import type { Migration } from "../../db/migration.ts";
import { openPostgres } from "../../db/postgres/engine.ts";
import { migrations as released } from "../../db/postgres/migrations/list.ts";
import { createOrganizationWithKey } from "../support/template.ts";
import { connection, emptyDatabase } from "./database.ts";
import { copyOn, type ServiceCopy } from "./service-copy.ts";

/** Made up: what a later release may add. */
const additive: Migration = {
  name: "regions",
  sql: `ALTER TABLE accounts ADD COLUMN region text COLLATE "C" NOT NULL DEFAULT 'eu';
    CREATE TABLE regions (organization_id bigint NOT NULL REFERENCES organizations (id), region text COLLATE "C",
      PRIMARY KEY (organization_id, region));
    INSERT INTO regions SELECT DISTINCT organization_id, region FROM accounts;
    CREATE INDEX accounts_region ON accounts (organization_id, region, id)`,
};
const upgraded = [...released, additive];

/** Creates and lists accounts until `stop`, which resolves with the statuses and the longest time of a request. */
function load(
  copy: ServiceCopy,
  key: string,
): { stop: () => Promise<{ statuses: Set<number>; slowest: number; created: number }> } {
  let isStopped = false;
  const result = { statuses: new Set<number>(), slowest: 0, created: 0 };
  const send = async (method: string, path: string, body?: object) => {
    const sentAt = performance.now();
    const { status } = await copy.send(key, method, path, body);
    result.slowest = Math.max(result.slowest, performance.now() - sentAt);
    result.statuses.add(status);
  };
  async function run(): Promise<void> {
    while (!isStopped) {
      await send("POST", "/accounts", { name: "Acme" });
      result.created += 1;
      await send("GET", "/accounts?pageSize=5");
    }
  }
  const running = Promise.all([run(), run(), run()]);
  return {
    async stop() {
      isStopped = true;
      await running;
      return result;
    },
  };
}

const newer = /^The database was made by a newer accountd\. Install that version or a later one\.$/;

test.concurrent("an additive migration is applied while a copy serves; then old and new copy serve the same rows", async () => {
  const url = await emptyDatabase();
  const old = await copyOn(url);
  const { key } = await createOrganizationWithKey(old.engine, "Acme");
  const ofOld = load(old, key);
  await Bun.sleep(200);
  const names: string[] = [];
  const next = await copyOn(url, {
    migrations: upgraded,
    upgraded: (applied) => void names.push(...applied),
  });
  expect(names).toEqual(["regions"]);
  const ofNext = load(next, key);
  await Bun.sleep(300);
  const [before, after] = [await ofOld.stop(), await ofNext.stop()];
  expect([...before.statuses, ...after.statuses].every((status) => status === 201 || status === 200)).toBe(
    true,
  );
  const total = before.created + after.created;
  for (const { send } of [old, next])
    expect((await send(key, "GET", "/accounts?pageSize=1")).body.pagination.total).toBe(total);
  const sql = connection(url);
  expect(await sql`select distinct region from accounts`).toHaveLength(1);

  // The new copy sets its column, the old one changes the same row, and each sees the change of the other.
  await sql`update accounts set region = 'us' where id = 1`;
  expect((await old.send(key, "PATCH", "/accounts/1", { mrr: 5 })).status).toBe(200);
  expect((await next.send(key, "PATCH", "/accounts/1", { name: "Globex" })).body.data).toMatchObject({
    mrr: 5,
  });
  expect((await old.send(key, "GET", "/accounts/1")).body.data).toMatchObject({ name: "Globex", mrr: 5 });
  const [{ region }] = await sql`select region from accounts where id = 1`;
  expect(region).toBe("us");
  const sequences = await sql`select sequence from changes order by sequence`;
  expect(sequences.map(({ sequence }: { sequence: bigint }) => Number(sequence))).toEqual(
    Array.from({ length: total + 2 }, (_, i) => i + 1),
  );
}, 30_000);

test.concurrent("an old binary does not start on a newer schema; a running one goes on, also on new connections", async () => {
  const url = await emptyDatabase();
  const old = await copyOn(url);
  const { key } = await createOrganizationWithKey(old.engine, "Acme");
  await copyOn(url, { migrations: upgraded });
  for (const canMigrate of [true, false]) {
    const [opening] = await Promise.allSettled([openPostgres(url, { clock: Date.now, canMigrate })]);
    expect(opening).toMatchObject({ status: "rejected", reason: { message: expect.stringMatching(newer) } });
  }
  expect((await old.send(key, "POST", "/accounts", { name: "Acme" })).status).toBe(201);
  await connection(url)`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  await Bun.sleep(100);
  expect((await old.send(key, "POST", "/accounts", { name: "Globex" })).status).toBe(201);
  expect((await old.send(key, "GET", "/accounts?pageSize=1")).body.pagination.total).toBe(2);
}, 30_000);

test.concurrent("while another transaction locks a table, such as a backup, the upgrade waits and the old copy serves", async () => {
  const url = await emptyDatabase();
  const old = await copyOn(url);
  const { key } = await createOrganizationWithKey(old.engine, "Acme");
  const backup = connection(url);
  await backup.unsafe("begin; lock table accounts in access share mode").simple();
  const { stop } = load(old, key);
  const opening = copyOn(url, { migrations: upgraded });
  await Bun.sleep(6_000);
  expect(Bun.peek.status(opening)).toBe("pending");
  await backup.unsafe("commit").simple();
  const next = await opening;
  expect((await next.send(key, "POST", "/accounts", { name: "Acme" })).status).toBe(201);
  const { statuses, slowest, created } = await stop();
  expect([...statuses].sort()).toEqual([200, 201]);
  expect(created).toBeGreaterThan(10);
  expect(slowest).toBeLessThan(3_500);
}, 30_000);
