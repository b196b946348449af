import { expect, test } from "bun:test";
import { SQL } from "bun";
import { closeAfterTest } from "../support/cleanup.ts";
import { connection, createSchema, engineOn, migratedDatabase, withSql } from "./database.ts";
import { startCounter } from "./round-trips.ts";
import { medianDelay, watch } from "./watched-writes.ts";

const listeners = `select pid from pg_stat_activity
  where datname = current_database() and application_name like 'accountd listener %'`;
const hasty = { lingerMilliseconds: 200 };
/** A poll makes up for a lost notification within this time, on a busy machine. */
const maxPollMilliseconds = 5_000;

/** Resolves when the query has this number of rows. Throws after 15 s. */
async function waitForRows(sql: SQL, query: string, count: number): Promise<void> {
  for (const end = performance.now() + 15_000; ; await Bun.sleep(20)) {
    const rows = await sql.unsafe(query);
    if (rows.length === count) return;
    if (performance.now() > end) throw new Error(`${rows.length} rows: ${query}`);
  }
}

test("a write of one process reaches the watchers of another one within 100 ms, also after a lost connection", async () => {
  const url = await migratedDatabase();
  const [writer, reader] = [await engineOn(url), await engineOn(url)];
  const sql = connection(url);
  await writer.write(1, async () => {});
  const { next } = watch(reader);
  await waitForRows(sql, listeners, 1);
  await medianDelay(writer, next);
  expect(await medianDelay(writer, next)).toBeLessThan(100);
  await sql.unsafe(`select pg_terminate_backend(pid) from (${listeners})`);
  await waitForRows(sql, listeners, 0);
  await waitForRows(sql, listeners, 1);
  await medianDelay(writer, next);
  expect(await medianDelay(writer, next)).toBeLessThan(100);
});

test("many organizations are reported, and each commit of a process to its own watchers", async () => {
  const url = await migratedDatabase();
  const [writer, reader] = [await engineOn(url), await engineOn(url)];
  const [own, other] = [watch(writer), watch(reader)];
  const ids = Array.from({ length: 1_000 }, (_, i) => i + 1);
  await withSql(
    url,
    (sql) => sql`insert into organizations (id, name, folded_name, created_at)
    select id, id, id, 0 from generate_series(9, 1000) as id`,
  );
  const found = other.next(1_000);
  await Promise.all(ids.map((id) => writer.write(id, async () => {})));
  expect(ids.filter((id) => !own.reported.includes(id))).toEqual([]);
  await found;
  const end = performance.now() + maxPollMilliseconds;
  while (!ids.every((id) => other.reported.includes(id)) && performance.now() < end) await Bun.sleep(20);
  expect(ids.filter((id) => !other.reported.includes(id))).toEqual([]);
});

test("a write without a notification is reported, and so is one at the beginning of the watch", async () => {
  const url = await migratedDatabase();
  const [writer, reader] = [await engineOn(url), await engineOn(url)];
  await writer.write(2, async () => {});
  const { next } = watch(reader);
  const found = next(2);
  await found;
  const sql = connection(url);
  await waitForRows(sql, listeners, 1);
  const lost = next(2);
  await sql`update organization_locks set last_transaction_at = 1 where organization_id = 2`;
  await lost;
});

test("the schemas of a database do not mix", async () => {
  const url = await migratedDatabase();
  await withSql(url, (sql) => sql`create schema second`);
  const second = new URL(url);
  second.searchParams.set("options", "-c search_path=second");
  await createSchema(second.href);
  const [writer, reader] = [await engineOn(url), await engineOn(second.href)];
  const { reported, next } = watch(reader);
  await waitForRows(connection(url), listeners, 1);
  const other = watch(await engineOn(url));
  await medianDelay(writer, other.next);
  expect(reported).toEqual([]);
  const found = next(2);
  await reader.write(2, async () => {});
  await found;
});

test("a process listens while it has a watcher and shortly after, and notifies only while another process listens", async () => {
  const url = await migratedDatabase();
  const [writer, reader] = [await engineOn(url, hasty), await engineOn(url, hasty)];
  const sql = connection(url);
  const payloads: string[] = [];
  const raw = new SQL({ url, max: 1 });
  closeAfterTest(() => raw.close({ timeout: 0 }));
  const [row] = await sql`select 'accountd_' || md5('public') as channel`;
  await raw.listen(row.channel, (payload) => payloads.push(payload));
  const own = watch(writer);
  await waitForRows(sql, listeners, 1);
  for (let i = 0; i < 2; i += 1) {
    await writer.write(3, async () => {});
    await Bun.sleep(1_050);
  }
  expect(payloads.filter((payload) => payload.endsWith(":3"))).toEqual([]);
  const other = watch(reader);
  await waitForRows(sql, listeners, 2);
  await medianDelay(writer, other.next);
  expect(payloads.filter((payload) => payload.endsWith(":1"))).not.toEqual([]);
  own.end();
  other.end();
  await waitForRows(sql, listeners, 0);
  const again = watch(reader);
  await waitForRows(sql, listeners, 1);
  again.end();
  again.end();
  await waitForRows(sql, listeners, 0);
});

test("an idle process runs a poll each second while it has a watcher, and nothing without one", async () => {
  const { url, statements } = await startCounter(await migratedDatabase());
  const engine = await engineOn(url, hasty);
  const count = async (milliseconds: number) => {
    const before = statements();
    await Bun.sleep(milliseconds);
    return statements() - before;
  };
  await Bun.sleep(100);
  expect(await count(500)).toBe(0);
  const { end } = watch(engine);
  await waitForRows(connection(url), listeners, 1);
  await Bun.sleep(1_500);
  const watched = await count(2_000);
  expect(watched).toBeGreaterThan(0);
  expect(watched).toBeLessThanOrEqual(3);
  end();
  await waitForRows(connection(url), listeners, 0);
  await Bun.sleep(100);
  expect(await count(1_000)).toBe(0);
});
