import type { Database } from "bun:sqlite";

export type ClientSettings = {
  /** The time for which a statement blocks the event loop while another process has the lock. */
  busyTimeoutMilliseconds: number;
  isQueryOnly?: boolean;
  /** Reads pages through a memory map of the file instead of system calls. The first read after a commit renews it. */
  isMapped?: boolean;
  /** KiB of pages. Default: 16 MiB. */
  cacheKibibytes?: number;
};

/** Sets what a connection needs before its first statement. */
export function configure(client: Database, settings: ClientSettings): void {
  const { busyTimeoutMilliseconds, cacheKibibytes = 16_384 } = settings;
  client.run(`PRAGMA busy_timeout = ${busyTimeoutMilliseconds}`);
  client.run("PRAGMA foreign_keys = ON");
  client.run("PRAGMA trusted_schema = OFF");
  client.run(`PRAGMA cache_size = -${cacheKibibytes}`);
  client.run("PRAGMA temp_store = MEMORY");
  if (settings.isQueryOnly) client.run("PRAGMA query_only = ON");
  if (settings.isMapped) client.run("PRAGMA mmap_size = 2147418112");
}
