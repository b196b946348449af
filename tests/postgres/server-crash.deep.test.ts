import { expect, test } from "bun:test";
import { EngineBusy } from "../../db/errors.ts";
import { openPostgres } from "../../db/postgres/engine.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { engineOn, withSql } from "./database.ts";
import { startProxy } from "./proxy.ts";
import { addText, allTexts, textsOf } from "./rows.ts";

/** A server of this test, which flushes, with the schema and organizations. */
async function ownServer(): Promise<PostgresServer> {
  const server = await startPostgres({ isDurable: true });
  closeAfterTest(() => server.remove());
  await (await openPostgres(server.url, { clock: () => 0, canMigrate: true })).close();
  await withSql(
    server.url,
    (sql) => sql`insert into organizations (id, name, folded_name, created_at)
    select id, id, id, 0 from generate_series(1, 8) as id`,
  );
  return server;
}

test("a commit that never arrived is not taken for the transaction that has its id after a crash", async () => {
  const server = await ownServer();
  const proxy = await startProxy(server.url);
  const engine = await engineOn(proxy.url, { connections: { writeLanes: 1 } });
  await engine.write(1, (tx) => textsOf(tx, 1));
  const { promise: isMuted, resolve } = Promise.withResolvers<void>();
  const write = engine
    .write(1, async (tx) => {
      await addText(tx, 1, "lost");
      proxy.inject("mute");
      resolve();
    })
    .catch((error: unknown) => error);
  await isMuted;
  await Bun.sleep(100);
  await server.stop("SIGQUIT");
  await server.start();
  await withSql(server.url, async (sql) => {
    for (let i = 0; i < 50; i += 1) await sql`select pg_current_xact_id()`;
  });
  expect(await write).toBeInstanceOf(EngineBusy);
  expect(await allTexts(engine)).toEqual([]);
}, 30_000);
