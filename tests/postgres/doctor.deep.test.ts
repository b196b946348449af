import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../../src/cli/doctor/finding.ts";
import { run } from "../binary/binary.ts";
import { main } from "../support/bash.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { startPostgres } from "../support/postgres-server.ts";

const started = [process.execPath, main];

/** A server with tables of accountd. */
async function migratedServer(options: Parameters<typeof startPostgres>[0]) {
  const server = await startPostgres(options);
  closeAfterTest(server.remove);
  expect(await run(["migrate", "--database", server.url], { program: started })).toMatchObject({ code: 0 });
  return server;
}

/** The findings as `STATUS CHECK: FOUND ACTION`, without sizes, and the exit code. */
async function findingsOf(url: string, flags: string[] = [], program = started) {
  const { code, stdout } = await run(["doctor", "--json", "--database", url, ...flags], { program });
  const { findings }: { findings: Finding[] } = JSON.parse(stdout);
  const lines = findings.map(({ status, check, found, action }) =>
    `${status} ${check}: ${found} ${action ?? ""}`.trim().replaceAll(/\d+ MiB/g, "SIZE"),
  );
  return { code, lines };
}

test("doctor of a sound PostgreSQL database is ok in every line", async () => {
  const { url } = await migratedServer({ isDurable: true, settings: { timezone: "Asia/Kolkata" } });
  const { code, lines } = await findingsOf(url);
  expect(code).toBe(0);
  expect(lines).toEqual([
    expect.stringMatching(/^ok configuration: All \d+ settings are valid\. Not the default: 1\.$/),
    expect.stringMatching(/^ok versions: accountd \S+, PostgreSQL \d+\.\d+, schema (\d+) of \1\.$/),
    "ok role: The host accepts writes. The database has SIZE.",
    "ok fsync: fsync is on.",
    "ok full_page_writes: full_page_writes is on.",
    "ok synchronous_commit: synchronous_commit is on.",
    "ok connections: max_connections leaves 397 connections; 1 are in use. A server of accountd needs 16.",
    "ok timeouts: statement_timeout is 0, transaction_timeout is 0, idle_session_timeout is 0.",
    "ok clock difference: The clocks of this machine and of the database agree. The time zone is Asia/Kolkata; it has no effect.",
    "ok backups: accountd makes none of PostgreSQL: use pg_dump, or an archive of the WAL.",
    expect.stringMatching(/^ok open files: The limit of this process is \d+\.$/),
  ]);
});

test("doctor reports settings of PostgreSQL with which data or connections are lost", async () => {
  const settings = { max_connections: "25", statement_timeout: "30000", idle_session_timeout: "60000" };
  const { url } = await migratedServer({ settings });
  const { code, lines } = await findingsOf(url);
  const raise = "Raise max_connections, or lower --read-connections and --write-lanes.";
  expect(code).toBe(1);
  expect(lines.filter((line) => !line.startsWith("ok "))).toEqual([
    "error fsync: fsync is off. A crash can damage the database. Set fsync = on, and reload the server.",
    "error full_page_writes: full_page_writes is off. A crash can damage the database. Set full_page_writes = on, and reload the server.",
    "warning synchronous_commit: synchronous_commit is off. A crash loses acknowledged writes. Set it to on, unless you accept that.",
    `warning connections: max_connections leaves 22 connections; 1 are in use. A server of accountd needs 16. A second server, such as for an upgrade, has no room. ${raise}`,
    "warning timeouts: statement_timeout is 30000, transaction_timeout is 0, idle_session_timeout is 60000. It ends long commands or idle connections: run ALTER ROLE … SET statement_timeout = 0 and ALTER ROLE … SET idle_session_timeout = 0 for the role of accountd.",
  ]);
  const many = await findingsOf(url, ["--read-connections", "40"]);
  expect(many.lines).toContain(
    `error connections: max_connections leaves 22 connections; 1 are in use. A server of accountd needs 48. ${raise}`,
  );
});

test("doctor reports another clock, a standby, and a server that does not run", async () => {
  const server = await migratedServer({ isDurable: true, settings: { timezone: "Asia/Kolkata" } });
  const { url, folder } = server;
  const ahead = [process.execPath, "--preload", join(import.meta.dir, "clock-ahead.ts"), main];
  const difference =
    "error clock difference: The clock of this machine is 40 days ahead of the clock of the database. The time zone is Asia/Kolkata; it has no effect. Synchronize both by NTP.";
  expect((await findingsOf(url, [], ahead)).lines).toContain(difference);
  await server.stop();
  writeFileSync(join(folder, "data/standby.signal"), "");
  await server.start();
  const { code, lines } = await findingsOf(url);
  expect(code).toBe(1);
  expect(lines).toContain(
    "error role: The host is a standby. The database has SIZE. Name the primary, or all hosts, in the URL.",
  );
  expect(await run(["check", "--database", url], { program: started })).toMatchObject({ code: 0 });
  await server.stop();
  expect((await findingsOf(url)).lines[1]).toMatch(
    /^error database: \S+ cannot be used: .*\. Check the address, the role and its password, and whether the server runs\.$/,
  );
});
