import { Database } from "bun:sqlite";
import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Contestant } from "../contestants.ts";
import { type Data, fileOf, type Org } from "../data.ts";
import { removeDatabase, startServer } from "../server.ts";
import { collections, listFields, permissionsOf, relations } from "./collections.ts";
import { adminToken, command } from "./program.ts";

/**
 * Makes the database for Directus: its own tables with its command, collections and permissions with its API, and
 * the rows with SQL from the plain tables, because 1,000,000 rows would take hours with the API.
 */
export async function makeDatabase(contestant: Contestant, data: Data): Promise<void> {
  const file = fileOf(data, "directus");
  const unfinished = `${file}.new`;
  removeDatabase(unfinished);
  await bootstrap(unfinished);
  const server = await startServer(contestant, unfinished);
  try {
    await describe(server.port, data);
  } finally {
    await server.stop();
  }
  fill(unfinished, data.plain);
  renameSync(unfinished, file);
  removeDatabase(unfinished);
}

async function bootstrap(database: string): Promise<void> {
  const { cmd, env } = command("bootstrap", database);
  const child = Bun.spawn(cmd, {
    env: { PATH: Bun.env.PATH ?? "", HOME: Bun.env.HOME ?? "", ...env },
    stdout: "ignore",
    stderr: "pipe",
  });
  const output = await child.stderr.text();
  if ((await child.exited) !== 0) throw new Error(`directus bootstrap failed:\n${output.slice(-1_000)}`);
}

/** Each organization that receives requests has a user whose token is its key. */
async function describe(port: number, { organizations }: Data): Promise<void> {
  const post = poster(port);
  for (const collection of collections) await post("collections", collection);
  for (const field of listFields) await post("fields/accounts", field);
  for (const relation of relations) await post("relations", relation);
  for (const org of [organizations.large, organizations.medium, ...organizations.small.slice(0, 1)])
    await addOrganization(post, org);
}

type Post = (path: string, body: object) => Promise<string>;

async function addOrganization(post: Post, { id, key }: Org): Promise<void> {
  const policy = await post("policies", {
    name: `Organization ${id}`,
    admin_access: false,
    app_access: false,
  });
  for (const permission of permissionsOf(policy, id)) await post("permissions", permission);
  const user = await post("users", { email: `organization-${id}@example.com`, token: key });
  await post("access", { user, policy });
}

/** Returns a function that creates an item and returns its id. */
function poster(port: number): Post {
  return async (path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`directus rejected ${path}: ${text.slice(0, 1_000)}`);
    // Safe: Directus replies in this format.
    return String((JSON.parse(text) as { data: { id?: unknown } }).data.id ?? "");
  };
}

function fill(file: string, plain: string): void {
  const database = new Database(file);
  for (const pragma of ["journal_mode = OFF", "synchronous = OFF", "cache_size = -524288"])
    database.run(`PRAGMA ${pragma}`);
  database.run("ATTACH ? AS plain", [plain]);
  database.transaction(() => {
    for (const { collection, fields } of collections) {
      const columns = fields.map(({ field }) => field).join();
      database.run(`INSERT INTO ${collection} (${columns}) SELECT ${columns} FROM plain.${collection}`);
    }
  })();
  const indexes = readFileSync(join(import.meta.dir, "../plain-indexes.sql"), "utf8").split(";");
  // Directus receives no events.
  for (const index of indexes.filter((sql) => sql.includes(" ON ") && !sql.includes(" ON events")))
    database.run(index);
  database.run("DETACH plain");
  database.run("PRAGMA journal_mode = WAL");
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}
