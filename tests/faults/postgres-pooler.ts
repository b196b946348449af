import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder } from "../binary/binary.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { freePort } from "../support/free-port.ts";
import { query } from "./postgres-ground.ts";

const executable = () => Bun.which("pgbouncer", { PATH: `${Bun.env.PATH}:/usr/sbin` });
/** The connections of a role to the server: more than a copy opens. */
export const poolSize = 16;

const administrator = "postgres";

/** The reason why PgBouncer cannot be started, or undefined. */
export function whyNoPooler(): string | undefined {
  return executable() ? undefined : "PgBouncer is not installed";
}

/**
 * Starts PgBouncer in transaction mode before a server; resolves with the URLs through it, its port, and the file of its
 * configuration. It is ended after the proof.
 */
export async function startPooler(
  urls: readonly string[],
): Promise<{ urls: string[]; port: number; file: string }> {
  const program = executable();
  if (!program) throw new Error("PgBouncer is not installed");
  const place = folder({ unprivileged: true });
  const port = await freePort();
  const users = join(place, "users.txt");
  const names = [...urls.map((url) => new URL(url).username), administrator];
  writeFileSync(users, names.map((name) => `"${name}" ""\n`).join(""));
  const settings = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "trust",
    auth_file: users,
    admin_users: administrator,
    pool_mode: "transaction",
    default_pool_size: poolSize,
    max_client_conn: 400,
    // As in deploy/compose.yaml.
    server_login_retry: 1,
    query_wait_timeout: 3,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const server = new URL(urls[0] ?? "");
  const database = `${server.pathname.slice(1)} = host=${server.hostname} port=${server.port}`;
  const file = join(place, "pgbouncer.ini");
  writeFileSync(file, ["[databases]", database, "[pgbouncer]", ...lines, ""].join("\n"));
  for (const readable of [users, file]) chmodSync(readable, 0o644);
  const isRoot = process.getuid?.() === 0;
  const child = Bun.spawn([program, "-q", ...(isRoot ? ["-u", "nobody"] : []), file], {
    stdout: "ignore",
    stderr: "ignore",
  });
  closeAfterTest(() => {
    child.kill("SIGKILL");
    return child.exited;
  });
  const pooled = urls.map((url) => Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href);
  for (let attempt = 0; ; attempt += 1)
    try {
      await query(pooled[0] ?? "", "select 1");
      return { urls: pooled, port, file };
    } catch (error) {
      if (attempt === 100) throw new Error("PgBouncer does not start", { cause: error });
      await Bun.sleep(50);
    }
}
