import { existsSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dir;
/** Directus's own commands, without the question before them, over the network, whether there is a newer version. */
const program = join(here, "node_modules/@directus/api/dist/cli/run.js");
const native = join(here, "node_modules/sqlite3/build/Release/node_sqlite3.node");

/** Who may do all, while the database is made. */
export const adminToken = "directus-bench-admin";

/** `start` serves a database, `bootstrap` makes one. The process is the server's own. */
export function command(does: "start" | "bootstrap", database: string, port = 0) {
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
    // Nothing is answered from a cache, and nothing is refused for there being too much of it.
    CACHE_ENABLED: "false",
    RATE_LIMITER_ENABLED: "false",
    PRESSURE_LIMITER_ENABLED: "false",
    // Neither what is installed where the benchmark is started nor a file of settings there is its own.
    EXTENSIONS_PATH: join(here, "node_modules/.extensions"),
    CONFIG_PATH: join(here, "node_modules/.env"),
    TZ: "UTC",
  };
  return { cmd: [Bun.which("node") ?? "node", program, does], env };
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
