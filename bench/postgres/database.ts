import { SQL } from "bun";
import type { BenchServer } from "./server.ts";

/** The prefix of databases that one run uses and drops. */
const runPrefix = "accountd_run_";

/** The URL of a database of the server. */
export function urlOf({ url }: BenchServer, database: string): string {
  const named = new URL(url);
  named.pathname = `/${database}`;
  return named.href;
}

/**
 * Copies a database, and calls `use` with the URL of the copy, which is dropped afterwards. `slowFlush`: each flush by
 * its connections takes 1 ms longer.
 */
export async function withCopy<T>(
  server: BenchServer,
  template: string,
  { slowFlush }: { slowFlush: boolean },
  use: (url: string) => Promise<T>,
): Promise<T> {
  const name = `${runPrefix}${process.pid}`;
  const execute = (text: string) => server.admin.unsafe(text).simple();
  await execute(`drop database if exists ${name} with (force)`);
  // The files are copied and flushed, so that nothing of it is written during a measurement.
  await execute(`create database ${name} template ${template} strategy file_copy`);
  try {
    if (slowFlush)
      for (const [setting, value] of Object.entries(slowFlushSettings))
        await execute(`alter database ${name} set ${setting} = ${value}`);
    return await use(urlOf(server, name));
  } finally {
    await execute(`drop database if exists ${name} with (force)`);
  }
}

/** The process that flushes waits for 1,000 µs first, also when no other transaction is active. */
const slowFlushSettings = { commit_delay: 1_000, commit_siblings: 0 };

/** Drops what earlier runs on this machine left. */
export async function dropLeftovers({ admin }: BenchServer): Promise<void> {
  const rows: { name: string }[] =
    await admin`select datname as name from pg_database where datname ^@ ${runPrefix}`;
  for (const { name } of rows) await admin.unsafe(`drop database ${name} with (force)`).simple();
}

const commitCount = 101;

/**
 * The shortest duration of a commit in ms, on a connection as the server is set, and on one with slow flushes. Longer
 * ones depend on the other processes of the machine.
 */
export async function measureFlush({ url }: BenchServer): Promise<{ usual: number; slow: number }> {
  const connections = { usual: new SQL({ url, max: 1 }), slow: new SQL({ url, max: 1 }) };
  const durations = { usual: [] as number[], slow: [] as number[] };
  try {
    for (const [name, value] of Object.entries(slowFlushSettings))
      await connections.slow.unsafe(`set ${name} = ${value}`);
    // In turn, so that both have the same load of the machine.
    for (let i = 0; i < commitCount; i += 1)
      for (const kind of ["usual", "slow"] as const)
        durations[kind].push(await timeCommit(connections[kind]));
    return { usual: Math.min(...durations.usual), slow: Math.min(...durations.slow) };
  } finally {
    for (const sql of Object.values(connections)) await sql.close({ timeout: 0 });
  }
}

async function timeCommit(sql: SQL): Promise<number> {
  const start = performance.now();
  // A transactional message is a record of the log, which the commit flushes. It needs no table.
  await sql`select pg_logical_emit_message(true, 'bench', 'x')`;
  return performance.now() - start;
}
