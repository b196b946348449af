import { existsSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dir;
/** The commands of Directus, without the wrapper that checks for a newer version over the network. */
const program = join(here, "node_modules/@directus/api/dist/cli/run.js");
const native = join(here, "node_modules/sqlite3/build/Release/node_sqlite3.node");

/** The administrator's token, used while the database is created. */
export const adminToken = "directus-bench-admin";

/** The command line and the environment: `start` serves a database, `bootstrap` creates one. */
export function command(name: "start" | "bootstrap", database: string, port = 0) {
  const env = {
    HOST: "127.0.0.1",
    PORT: String(port),
    DB_CLIENT: "sqlite3",
    DB_FILENAME: database,
    SECRET: "directus-bench",
    ADMIN_EMAIL: "admin@example.com",
    ADMIN_PASSWORD: "directus-bench",
    ADMIN_TOKEN: adminToken,
    NODE_ENV: "production",
    LOG_LEVEL: "error",
    LOG_STYLE: "raw",
    TELEMETRY: "false",
    // No cache and no rate limit.
    CACHE_ENABLED: "false",
    RATE_LIMITER_ENABLED: "false",
    PRESSURE_LIMITER_ENABLED: "false",
    // No extensions and no configuration file of the current folder.
    EXTENSIONS_PATH: join(here, "node_modules/.extensions"),
    CONFIG_PATH: join(here, "node_modules/.env"),
    TZ: "UTC",
  };
  return { cmd: [Bun.which("node") ?? "node", program, name], env };
}

/** The reason why it cannot run on this machine, or undefined. */
export async function missing(): Promise<string | undefined> {
  if (!Bun.which("node")) return "there is no node on the PATH";
  if (!existsSync(program)) return "not installed: npm ci in bench/directus";
  if (!existsSync(native)) return "sqlite3 is not built: npm rebuild sqlite3 in bench/directus";
  const load = `process.dlopen({ exports: {} }, ${JSON.stringify(native)})`;
  const tried = await Bun.$`node -e ${load}`.nothrow().quiet();
  return tried.exitCode === 0 ? undefined : "sqlite3 is built for another version of node: npm ci";
}
