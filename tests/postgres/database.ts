import { SQL } from "bun";
import { openPostgres, type PostgresOptions } from "../../db/postgres/engine.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { startPostgres } from "../support/postgres-server.ts";

let server: Promise<string> | undefined;
let template: Promise<string> | undefined;
let count = 0;

/** The URL of a server: that of TEST_POSTGRES_URL, or one that runs as long as this process. */
export function postgresServer(): Promise<string> {
  server ??= Bun.env.TEST_POSTGRES_URL ? Promise.resolve(Bun.env.TEST_POSTGRES_URL) : startForProcess();
  return server;
}

async function startForProcess(): Promise<string> {
  const { url, pid, folder } = await startPostgres();
  // Its input ends with this process: Bun runs no exit handler after tests.
  const remove = 'read _; kill -QUIT "$0"; while kill -0 "$0"; do sleep 0.05; done; rm -rf "$1"';
  Bun.spawn(["sh", "-c", remove, String(pid()), folder], {
    stdin: "pipe",
    stdout: "ignore",
    stderr: "ignore",
  }).unref();
  return url;
}

async function create(name: string, from: string): Promise<string> {
  const url = await postgresServer();
  const admin = new SQL({ url, max: 1 });
  await admin.unsafe(`drop database if exists ${name} with (force)`).simple();
  await admin.unsafe(`create database ${name} template ${from}`).simple();
  await admin.close();
  const named = new URL(url);
  named.pathname = `/${name}`;
  return named.href;
}

async function createTemplate(): Promise<string> {
  const name = `accountd_template_${process.pid}`;
  await createSchema(await create(name, "template0"));
  return name;
}

/** Creates the schema and the organizations 1 to 8. */
export async function createSchema(url: string): Promise<void> {
  await (await openPostgres(url, { clock: () => 0, canMigrate: true })).close();
  await withSql(
    url,
    (sql) => sql`insert into organizations (id, name, folded_name, created_at)
    select id, id, id, 0 from generate_series(1, 8) as id`,
  );
}

/**
 * The URL of a database for a new role, which owns nothing and has no privileges, and a function that runs SQL with the
 * first URL. The role is removed after the test.
 */
export async function createRole(url: string) {
  const role = `accountd_role_${process.pid}_${Math.floor(performance.now())}`;
  const server = await postgresServer();
  const run = (text: string) => withSql(url, (sql) => sql.unsafe(text).simple());
  await run(`create role ${role} login`);
  closeAfterTest(() => withSql(server, (sql) => sql.unsafe(`drop role ${role}`).simple()));
  closeAfterTest(() => run(`drop owned by ${role}`));
  const named = new URL(url);
  named.username = role;
  return { url: named.href, role, run };
}

/** Runs `use` on a connection of its own. */
export async function withSql<T>(url: string, use: (sql: SQL) => Promise<T>): Promise<T> {
  const sql = new SQL({ url, max: 1, bigint: true });
  try {
    return await use(sql);
  } finally {
    await sql.close({ timeout: 0 });
  }
}

/** A connection that is closed after the test. */
export function connection(url: string): SQL {
  const sql = new SQL({ url, max: 1, bigint: true });
  closeAfterTest(() => sql.close({ timeout: 0 }));
  return sql;
}

/** The URL of a new database, which is removed after the test. */
export async function emptyDatabase(from = "template0"): Promise<string> {
  count += 1;
  const name = `accountd_test_${process.pid}_${count}`;
  const url = await create(name, from);
  const server = await postgresServer();
  closeAfterTest(() => withSql(server, (sql) => sql.unsafe(`drop database ${name} with (force)`).simple()));
  return url;
}

/** The same with the schema and the organizations 1 to 8. */
export async function migratedDatabase(): Promise<string> {
  template ??= createTemplate();
  return emptyDatabase(await template);
}

/** An engine that is closed after the test. */
export async function engineOn(url: string, options: Partial<PostgresOptions> = {}) {
  const engine = await openPostgres(url, { clock: () => Date.now(), ...options });
  closeAfterTest(() => engine.close());
  return engine;
}
