import { expect, test } from "bun:test";
import { checkServerState, readServerState } from "../../db/postgres/connections/open.ts";
import { openPostgres } from "../../db/postgres/engine.ts";
import { postgresStorage } from "../../db/postgres/storage.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { migratedDatabase, postgresServer, withSql } from "./database.ts";

async function stateOf(url: string) {
  return withSql(url, async (sql) => {
    const connection = await sql.reserve();
    try {
      return await readServerState(connection);
    } finally {
      connection.release();
    }
  });
}

test("the server of the tests has a supported version, UTF8 and the time of this machine", async () => {
  const state = await stateOf(await migratedDatabase());
  expect(state.versionNumber).toBeGreaterThanOrEqual(170_000);
  expect(state.version).toStartWith(String(Math.floor(state.versionNumber / 10_000)));
  expect(state.encoding).toBe("UTF8");
  expect(Math.abs(state.time - Date.now())).toBeLessThan(60_000);
  expect(checkServerState(state, "d")).toBeUndefined();
});

test("a server older than PostgreSQL 17 is refused with one line", () => {
  const state = { versionNumber: 169_999, version: "16.99 (Debian)", encoding: "UTF8", time: 0 };
  expect(() => checkServerState(state, "postgres://u@h/d")).toThrow(
    /^PostgreSQL 17 or newer is required; postgres:\/\/u@h\/d runs 16\.99 \(Debian\)\.$/,
  );
  expect(checkServerState({ ...state, versionNumber: 170_000 }, "d")).toBeUndefined();
});

test("a database with another encoding than UTF8 is refused by every command with one line", async () => {
  const server = await postgresServer();
  const name = `accountd_latin1_${process.pid}`;
  await withSql(server, (sql) =>
    sql.unsafe(`create database ${name} template template0 encoding 'LATIN1' locale 'C'`).simple(),
  );
  closeAfterTest(() => withSql(server, (sql) => sql.unsafe(`drop database ${name} with (force)`).simple()));
  const url = new URL(server);
  url.pathname = `/${name}`;
  const storage = postgresStorage(url.href);
  const clock = Date.now;
  for (const opening of [
    () => openPostgres(url.href, { clock, canMigrate: true }),
    () => storage.openCopyTarget(clock),
    () => storage.migrationStates(),
    () => storage.check({ firstCompleteDay: 0 }),
  ])
    await expect(opening()).rejects.toThrow(
      /^postgres:\S+ has the encoding LATIN1\. Create the database with TEMPLATE template0 ENCODING 'UTF8'\.$/,
    );
});
