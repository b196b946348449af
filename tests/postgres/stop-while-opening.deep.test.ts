import { expect, test } from "bun:test";
import { main } from "../support/bash.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { freePort } from "../support/free-port.ts";
import { connection, createRole, emptyDatabase, migratedDatabase, withSql } from "./database.ts";

type Started = { stop: (signal: NodeJS.Signals) => Promise<object>; errors: () => string };

function start(command: string, database: string): Started {
  const child = Bun.spawn([process.execPath, main, command, "--port", "0", "--database", database], {
    stdout: "pipe",
    stderr: "pipe",
  });
  closeAfterTest(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  let errors = "";
  const read = (async () => {
    for await (const chunk of child.stderr) errors += new TextDecoder().decode(chunk);
  })();
  return {
    errors: () => errors,
    stop: async (signal) => {
      const startedAt = performance.now();
      child.kill(signal);
      const code = await child.exited;
      await read;
      const isFast = performance.now() - startedAt < 1_000;
      const lines = errors.split("\n").filter((line) => line.startsWith("{"));
      const events = lines.map((line) => JSON.parse(line).event);
      return { code, isFast, lastEvents: events.slice(-2), stdout: await new Response(child.stdout).text() };
    },
  };
}

const stopped = { code: 0, isFast: true, lastEvents: ["stopping", "stopped"], stdout: "" };
const cases = [
  ["serve", "SIGTERM"],
  ["serve", "SIGINT"],
  ["quickstart", "SIGTERM"],
] as const;

test.each(cases)("%s that waits for a migration stops within a second of %s", async (command, signal) => {
  const { url } = await createRole(await emptyDatabase());
  const { errors, stop } = start(command, url);
  while (!errors().includes("migration_awaited")) await Bun.sleep(20);
  expect(await stop(signal)).toEqual(stopped);
});

test.each(cases)("%s that waits for a locked table stops within a second of %s", async (command, signal) => {
  const url = await migratedDatabase();
  const locking = connection(url);
  await locking.unsafe("begin; lock table schema_migrations in access exclusive mode").simple();
  const { stop } = start(command, url);
  await untilWaiting(url);
  expect(await stop(signal)).toEqual(stopped);
  await locking.unsafe("rollback").simple();
});

test.each(cases)("%s that waits for a silent server stops within a second of %s", async (command, signal) => {
  const { promise: isConnected, resolve } = Promise.withResolvers<void>();
  const silent = Bun.listen({
    hostname: "127.0.0.1",
    port: await freePort(),
    socket: { open: () => resolve(), data: () => {} },
  });
  closeAfterTest(async () => silent.stop(true));
  const { stop } = start(command, `postgres://accountd@127.0.0.1:${silent.port}/accounts`);
  await isConnected;
  expect(await stop(signal)).toEqual(stopped);
});

async function untilWaiting(url: string): Promise<void> {
  const isWaiting = () =>
    withSql(url, async (sql) => {
      const [row] = await sql`
        select exists (select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock') as found`;
      return row.found;
    });
  while (!(await isWaiting())) await Bun.sleep(20);
}
