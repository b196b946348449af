import { expect, test } from "bun:test";
import { EngineBusy, OutcomeUnknown } from "../../db/errors.ts";
import { openPostgres } from "../../db/postgres/engine.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { closeAfterTest } from "../support/world.ts";
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

test("a server that crashes under load loses no acknowledged write, and the engine goes on after its start", async () => {
  const server = await ownServer();
  const engine = await engineOn(server.url);
  const fates = { stored: [] as string[], rejected: [] as string[], unknown: [] as string[] };
  const others: unknown[] = [];
  let isOver = false;
  let slowest = 0;
  async function writeTexts(worker: number): Promise<void> {
    const id = (worker % 8) + 1;
    for (let i = 0; !isOver; i += 1) {
      const text = `${worker} ${i}`;
      const startedAt = performance.now();
      try {
        await engine.write(id, (tx) => addText(tx, id, text));
        fates.stored.push(text);
      } catch (error) {
        if (error instanceof OutcomeUnknown) fates.unknown.push(text);
        else if (error instanceof EngineBusy) fates.rejected.push(text);
        else others.push(error);
        await Bun.sleep(10);
      }
      slowest = Math.max(slowest, performance.now() - startedAt);
    }
  }
  const writers = Promise.all(Array.from({ length: 16 }, (_, worker) => writeTexts(worker)));
  for (let round = 0; round < 2; round += 1) {
    await Bun.sleep(500);
    await server.stop("SIGQUIT");
    await Bun.sleep(300);
    await server.start();
    const startedAt = performance.now();
    for (const id of [1, 2, 3, 4]) await engine.write(id, (tx) => addText(tx, id, `after ${round}`));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  }
  isOver = true;
  await writers;
  expect(others).toEqual([]);
  expect(fates.stored.length).toBeGreaterThan(100);
  expect(fates.rejected.length).toBeGreaterThan(10);
  const stored = (await allTexts(engine)).filter((text) => !text.startsWith("after"));
  expect(stored.filter((text) => !fates.unknown.includes(text))).toEqual(fates.stored.toSorted());
  expect(slowest).toBeLessThan(5_000);
}, 30_000);

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
