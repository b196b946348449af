import { expect, test } from "bun:test";
import { EngineBusy } from "../../db/errors.ts";
import { startLossProxy } from "../faults/postgres-proxy.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { createSchema, engineOn, withSql } from "./database.ts";
import { addText, allTexts, textsOf } from "./rows.ts";

/** A server of this test, which flushes, with the schema and organizations. */
async function ownServer(): Promise<PostgresServer> {
  const server = await startPostgres({ isDurable: true });
  closeAfterTest(() => server.remove());
  await createSchema(server.url);
  return server;
}

test("a commit that never arrived is not taken for the transaction that has its id after a crash", async () => {
  const server = await ownServer();
  const proxy = await startLossProxy(server.url);
  const engine = await engineOn(proxy.url, { connections: { writeLanes: 1 } });
  await engine.write(1, (tx) => textsOf(tx, 1));
  const isLost = proxy.lose({ state: "commit", arrives: "never", resets: "none" });
  const write = engine.write(1, (tx) => addText(tx, 1, "lost")).catch((error: unknown) => error);
  await isLost;
  await Bun.sleep(100);
  await server.stop("SIGQUIT");
  await server.start();
  await withSql(server.url, async (sql) => {
    for (let i = 0; i < 50; i += 1) await sql`select pg_current_xact_id()`;
  });
  expect(await write).toBeInstanceOf(EngineBusy);
  expect(await allTexts(engine)).toEqual([]);
}, 30_000);
