import { Database } from "bun:sqlite";
import { SQL } from "bun";
import { type CopyOptions, copyAll } from "../../db/copy.ts";
import { storageOf } from "../../src/server/storage.ts";
import { binary } from "../binary/build.ts";
import { organizationWorld, schemaTables } from "../deletions/organization-world.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { temporaryFile } from "../support/world.ts";

/** Larger than the highest id of every table. */
export const deletedId = 5_000;

let serverUrl = "";
let databaseCount = 0;

/** Starts a server unless the test runner has started one. Returns a function that stops it. */
export async function useServer(): Promise<() => Promise<void>> {
  serverUrl = Bun.env.TEST_POSTGRES_URL ?? "";
  if (serverUrl !== "") return async () => {};
  const server = await startPostgres();
  serverUrl = server.url;
  return server.remove;
}

/** The URL of a new, empty database, which is removed after the test. */
export async function newUrl(): Promise<string> {
  databaseCount += 1;
  const name = `accountd_copy_${process.pid}_${databaseCount}`;
  await runSql(serverUrl, `CREATE DATABASE ${name}`);
  closeAfterTest(async () => void (await runSql(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`)));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export const newFile = () => temporaryFile("copy.db");

/** A database with rows in every table, values that engines store differently, and an id that was given and deleted. */
export async function sourceWorld() {
  const here = await organizationWorld();
  using database = new Database(here.file);
  const texts = ['"quoted" \\ {a,b} NULL', "ünï ✓ 😀 ﬀ\u2028\n\t\r", "NULL", "{}", "'", " ", "\\"];
  for (const [i, text] of texts.entries())
    database.run(
      `INSERT INTO accounts (organization_id, name, folded_name, external_id, logo_url, mrr, status, created_at, updated_at)
       VALUES (?, ?, ?, ?, '', ?, 'active', 0, ?)`,
      [
        here.one.id,
        text,
        text,
        `${text}${i}`,
        [0.1 + 0.2, 1e-7, 1e21, 5e-324, 123456789.125, 1 / 3, 7][i] ?? 0,
        Number.MAX_SAFE_INTEGER,
      ],
    );
  // Larger than a write may make them now.
  database.run("UPDATE accounts SET attributes = ? WHERE external_id = ?", [
    JSON.stringify({ a: "x".repeat(100_000) }),
    `${texts[0]}0`,
  ]);
  database.run("UPDATE organizations SET currency = 'EUR', number_format = 'de-DE'");
  database.run("INSERT INTO clock_gaps VALUES (2, 1)");
  for (const table of ["accounts", "organizations"])
    database.run("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", [deletedId, table]);
  return here;
}

/** Copies without the command. */
export async function copy(from: string, to: string, options?: CopyOptions) {
  const source = await (await storageOf(from)).openCopySource(Date.now);
  try {
    const target = await (await storageOf(to)).openCopyTarget(Date.now);
    try {
      return await copyAll(source, target, options);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Runs a command line; resolves with its exit code and output. */
export async function accountd(...words: string[]) {
  const child = Bun.spawn([await binary(), ...words], { stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, stdout, stderr };
}

type RunSql = (text: string) => Promise<unknown[][]>;

/** Opens a database of either engine while `use` runs SQL on it. */
async function withDatabase<T>(database: string, use: (run: RunSql) => Promise<T>): Promise<T> {
  if (!database.startsWith("postgres")) {
    using client = new Database(database);
    return await use(async (text) => {
      using statement = client.prepare(text);
      return statement.values();
    });
  }
  const sql = new SQL({ url: database, max: 1 });
  try {
    return await use(async (text) => await sql.unsafe(text).values());
  } finally {
    await sql.close();
  }
}

/** Runs SQL on a database; resolves with the rows. */
export function runSql(database: string, text: string): Promise<unknown[][]> {
  return withDatabase(database, (run) => run(text));
}

/** All rows of all tables, as texts that both engines write in the same way. */
export function contentOf(database: string): Promise<Record<string, string[]>> {
  return withDatabase(database, async (run) => {
    const content: Record<string, string[]> = {};
    for (const { name, columns } of schemaTables) {
      const rows = await run(`SELECT ${columns.map((column) => column.name).join(", ")} FROM ${name}`);
      const types = columns.map((column) => column.getSQLType());
      const texts = rows.map((row) =>
        row.map((value, i) => (value !== null && types[i] !== "text" ? Number(value) : value)),
      );
      content[name] = texts.map((row) => JSON.stringify(row)).sort();
    }
    return content;
  });
}
