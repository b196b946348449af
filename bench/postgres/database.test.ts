import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { startPostgres } from "../../tests/support/postgres-server.ts";
import { useMemory } from "../../tests/support/temporary-folder.ts";
import { measureFlush, urlOf, withCopy } from "./database.ts";
import { processTime, serverTime } from "./processor.ts";
import { type BenchServer, connectTo } from "./server.ts";

useMemory();
let server: BenchServer;
beforeAll(async () => {
  const started = await startPostgres({ isDurable: true });
  server = await connectTo(started.url, started.remove);
  await server.admin.unsafe("create database source").simple();
});
afterAll(() => server.stop());

async function withSql<T>(url: string, use: (sql: SQL) => Promise<T>): Promise<T> {
  const sql = new SQL({ url, max: 1 });
  try {
    return await use(sql);
  } finally {
    await sql.close({ timeout: 0 });
  }
}

/** The names of the databases that the test creates. */
async function databaseNames(): Promise<string[]> {
  const rows: { name: string }[] =
    await server.admin`select datname as name from pg_database where datname like 'accountd%'`;
  return rows.map(({ name }) => name);
}

const copy = (slowFlush: boolean, use: (url: string) => Promise<unknown>) =>
  withCopy(server, "source", { slowFlush }, use);

test("a slow flush makes a commit 1 ms longer", async () => {
  const { usual, slow } = await measureFlush(server);
  expect(slow - usual).toBeGreaterThan(0.95);
});

test("the connections of a copy have slow flushes only if it is made with them", async () => {
  const delayOf = (url: string) =>
    withSql(url, async (sql) => {
      const [row] = await sql`select current_setting('commit_delay') as delay,
        current_setting('commit_siblings') as siblings`;
      return [row.delay, row.siblings];
    });
  expect(await copy(true, delayOf)).toEqual(["1000", "0"]);
  expect(await copy(false, delayOf)).toEqual(["0", "5"]);
});

test("a copy has the tables of its template, and is dropped after its use", async () => {
  await withSql(urlOf(server, "source"), (sql) => sql`create table copied as select 17 as value`);
  const read = (url: string) => withSql(url, (sql) => sql`select value from copied`.values());
  expect([...((await copy(false, read)) as unknown[])]).toEqual([[17]]);
  expect(await databaseNames()).toEqual([]);
  const failing = copy(false, () => Promise.reject(new Error("no reply")));
  expect(await failing.catch((error: Error) => error.message)).toBe("no reply");
  expect(await databaseNames()).toEqual([]);
});

test("the processor time of the server includes that of connections which have ended", async () => {
  const { pid } = server;
  if (pid === undefined) throw new Error("the process of the server is not found");
  const work = (sql: SQL) => sql`select count(*) from generate_series(1, 2000000)`;
  const before = serverTime(pid);
  await withSql(server.url, async (sql) => {
    await work(sql);
    expect(serverTime(pid) - before).toBeGreaterThanOrEqual(50);
  });
  // The server collects the process a moment after the connection has ended.
  await Bun.sleep(200);
  expect(serverTime(pid) - before).toBeGreaterThanOrEqual(50);
});

test("the processor time of a process is that of its threads", () => {
  const before = processTime(process.pid);
  for (const start = performance.now(); performance.now() - start < 100; );
  expect(processTime(process.pid) - before).toBeGreaterThan(0);
  expect(processTime(2 ** 30)).toBeNaN();
});
