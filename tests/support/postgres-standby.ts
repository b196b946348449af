import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";

export type PostgresPair = {
  primary: PostgresServer;
  /** Each commit of the primary waits until the standby has flushed it. */
  standby: PostgresServer;
  /** The URL of both hosts, the primary first. */
  url: string;
  /** Makes the standby a primary; resolves when it accepts writes. */
  promote: () => Promise<void>;
  remove: () => Promise<void>;
};

/** Starts a primary and its synchronous standby, which flush. */
export async function startPair(): Promise<PostgresPair> {
  const primary = await startPostgres({ isDurable: true, settings: { synchronous_standby_names: "*" } });
  let standby: PostgresServer | undefined;
  try {
    await primary.stop();
    writeFileSync(join(primary.folder, "data/standby.signal"), "");
    standby = await startPostgres({
      isDurable: true,
      copyOf: primary.folder,
      settings: {
        primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres`,
        // The primary starts after the standby.
        wal_retrieve_retry_interval: "100ms",
      },
    });
    rmSync(join(primary.folder, "data/standby.signal"));
    await primary.start();
    await waitFor(primary.url, "select count(*) = 1 from pg_stat_replication where sync_state = 'sync'");
  } catch (error) {
    await Promise.all([primary.remove(), standby?.remove()]);
    throw error;
  }
  const { url } = standby;
  return {
    primary,
    standby,
    url: `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`,
    promote: () => waitFor(url, "select pg_promote()"),
    remove: async () => void (await Promise.all([primary.remove(), standby.remove()])),
  };
}

/** Runs a query until its value is true. Throws after 10 s. */
async function waitFor(url: string, query: string): Promise<void> {
  const sql = new SQL({ url, max: 1 });
  try {
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const [[value]] = await sql.unsafe(query).values();
      if (value === true) return;
      await Bun.sleep(50);
    }
    throw new Error(`not true within 10 s: ${query}`);
  } finally {
    await sql.close({ timeout: 0 });
  }
}
