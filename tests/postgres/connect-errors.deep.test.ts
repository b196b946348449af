import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPostgres } from "../../db/postgres/engine.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { startJobs } from "../../src/jobs/scheduler.ts";
import type { LogFields } from "../../src/log.ts";
import { reactions } from "../../src/reactions.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { freePort } from "../support/free-port.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { engineOn, postgresServer, withSql } from "./database.ts";

/** A server that requires the password of the role `secured`, which owns the database `secured`. */
async function securedServer() {
  const server = await startPostgres();
  closeAfterTest(server.remove);
  const rules = [
    "host all secured 127.0.0.1/32 scram-sha-256",
    "host all all 127.0.0.1/32 trust",
    "local all all trust",
  ];
  writeFileSync(join(server.folder, "data/pg_hba.conf"), `${rules.join("\n")}\n`);
  const run = (text: string) => withSql(server.url, (sql) => sql.unsafe(text).simple());
  await run("create role secured login password 'a/1'; select pg_reload_conf()");
  await run("create database secured owner secured");
  return { run, url: `postgres://secured:a%2F1@127.0.0.1:${server.port}/secured` };
}

async function messageOf(url: string): Promise<string> {
  const [result] = await Promise.allSettled([openPostgres(url, { clock: Date.now })]);
  return result.status === "rejected" ? result.reason.message : "opened";
}

test.concurrent("a wrong password is an error that says how to write it, without the password", async () => {
  const { url } = await securedServer();
  await (await openPostgres(url, { clock: Date.now, canMigrate: true })).close();
  const message = await messageOf(url.replace("a%2F1", "secret"));
  expect(message).toMatch(
    /^postgres:\S+ cannot be used: password authentication failed for user "secured"\. Percent-encode .* or set PGPASSWORD\.$/,
  );
  expect(message).not.toContain("secret@");
});

test.concurrent("a running server whose password was changed logs the cause once", async () => {
  const { run, url } = await securedServer();
  const engine = await engineOn(url, { canMigrate: true });
  await run("alter role secured password 'other'");
  await run("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'secured'");
  const lines: { event: string; fields: LogFields | undefined }[] = [];
  const write = (event: string, fields?: LogFields) => void lines.push({ event, fields });
  const jobs = createJobs({ engine, reactions, eventDays: 35, changeDays: 400 });
  const stop = startJobs({ engine, jobs, log: { info: write, error: write } });
  await Bun.sleep(3_500);
  await stop();
  expect(lines.map(({ event }) => event)).toEqual(["jobs_failed"]);
  expect(lines[0]?.fields?.stack).toContain('password authentication failed for user "secured"');
});

test.concurrent("a pooler that refuses a startup parameter is an error with the setting to change", async () => {
  const text = "SFATAL\0C08P01\0Munsupported startup parameter: extra_float_digits\0\0";
  const reply = Buffer.alloc(5 + text.length);
  reply.write("E");
  reply.writeInt32BE(4 + text.length, 1);
  reply.write(text, 5);
  const pooler = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      // First the request of TLS, which has eight bytes, then the startup message.
      data: (socket, data) => void socket.write(data.length === 8 ? "N" : reply),
    },
  });
  closeAfterTest(async () => pooler.stop(true));
  expect(await messageOf(`postgres://accountd@127.0.0.1:${pooler.port}/accounts`)).toMatch(
    /cannot be used: unsupported startup parameter: extra_float_digits\. A pooler refuses it: set DATABASE_PREPARE=false, or, if it pools sessions, add the parameter to ignore_startup_parameters of PgBouncer\.$/,
  );
});

test.concurrent("a missing database, a closed port and an unknown host are errors that say which and what to do", async () => {
  const url = new URL(await postgresServer());
  url.pathname = "/absent";
  expect(await messageOf(url.href)).toMatch(
    /cannot be used: database "absent" does not exist\. Create the database: createdb --owner \w+ --encoding UTF8 absent\.$/,
  );
  const port = await freePort();
  const closed = `No server accepts connections at 127.0.0.1:${port}`;
  expect(await messageOf(`postgres://u@127.0.0.1:${port}/d`)).toEndWith(`cannot be used: ${closed}.`);
  expect(await messageOf(`postgres://u@127.0.0.1:${port},127.0.0.1:${port}/d`)).toEndWith(
    `cannot be used: No host accepts writes (${closed}; ${closed}).`,
  );
  expect(await messageOf("postgres://u@no-such-host.invalid/d")).toEndWith(
    "cannot be used: The host no-such-host.invalid is unknown.",
  );
}, 20_000);
