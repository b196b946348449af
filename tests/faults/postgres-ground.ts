import { SQL } from "bun";
import { openPostgres } from "../../db/postgres/engine.ts";
import { output, type Running, start } from "../binary/binary.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import type { Program } from "../support/proof.ts";
import { createOrganizationWithKey } from "../support/template.ts";

/** Two for each write lane of a copy, so that a batch has writes of two organizations. */
const organizationCount = 8;

export type PostgresGround = Awaited<ReturnType<typeof preparePostgres>>;

/** Starts a PostgreSQL server that flushes. It is removed after the proof. */
export async function durableServer(options: Parameters<typeof startPostgres>[0] = {}) {
  const server = await startPostgres({ ...options, isDurable: true });
  closeAfterTest(() => server.remove());
  return server;
}

/**
 * Creates the database `accountd` with organizations, a role for its owner and one for each copy of the program, so
 * that the database can tell the copies apart. `hosts` is the URL of all hosts, if the server is one of several.
 */
export async function preparePostgres(
  program: Program,
  server: PostgresServer,
  { tablespace = "pg_default", hosts = server.url } = {},
) {
  const urlOf = (role: string, url = hosts) =>
    url.replace("//postgres@", `//${role}@`).replace(/\/postgres$/, "/accountd");
  let current = server;
  await query(server.url, "create role accountd login");
  for (const name of ["copy_0", "copy_1"])
    await query(server.url, `create role ${name} login in role accountd`);
  await query(server.url, `create database accountd owner accountd tablespace ${tablespace}`);
  const engine = await openPostgres(urlOf("accountd"), { clock: Date.now, canMigrate: true });
  const keys: string[] = [];
  for (let i = 0; i < organizationCount; i += 1)
    keys.push((await createOrganizationWithKey(engine, `Organization ${i}`)).key);
  await engine.close();
  const check = () => output(["check", "--database", urlOf("accountd")], { program });
  return {
    keys,
    /** The URL of the database for a copy. */
    urlOf: (copy: number) => urlOf(`copy_${copy}`),
    /** The URL of the database for a superuser. */
    adminUrl: () => urlOf("postgres", current.url),
    /** Names the host that accepts writes from now on. */
    useServer: (promoted: PostgresServer) => {
      current = promoted;
    },
    /** Starts a copy of the program. */
    serve: (copy: number, url = urlOf(`copy_${copy}`), env = {}): Promise<Running> =>
      start(["serve", "--port", "0", "--database", url], { program, env }),
    /** The faults that accountd check finds. */
    check: (): Promise<string[]> =>
      check().then(
        () => [],
        (error: Error) => [error.message],
      ),
  };
}

/** Runs SQL on a connection of its own; resolves with the values of its rows. */
export async function query(url: string, text: string): Promise<unknown[][]> {
  const sql = new SQL({ url, max: 1, connectionTimeout: 2 });
  try {
    return await sql.unsafe(text).values();
  } finally {
    await sql.close({ timeout: 0 });
  }
}
