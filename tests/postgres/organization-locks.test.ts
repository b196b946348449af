import { expect, test } from "bun:test";
import { EngineBusy } from "../../db/errors.ts";
import { connection, engineOn, migratedDatabase } from "./database.ts";
import { addText, allTexts, counterOf, increment, textsOf } from "./rows.ts";

const ids = [1, 2, 3, 4, 5, 6, 7, 8];

test.concurrent("the writes of one organization are serial, and those of different organizations run side by side", async () => {
  const engine = await engineOn(await migratedDatabase(), { connections: { writeLanes: 1 } });
  const running = new Set<number>();
  let maxRunningCount = 0;
  const overlaps: number[] = [];
  const write = (id: number) =>
    engine.write(id, async (tx) => {
      if (running.has(id)) overlaps.push(id);
      running.add(id);
      maxRunningCount = Math.max(maxRunningCount, running.size);
      await increment(tx, id);
      running.delete(id);
    });
  await Promise.all(Array.from({ length: 40 }, (_, i) => write((i % 8) + 1)));
  expect(overlaps).toEqual([]);
  expect(maxRunningCount).toBe(8);
  for (const id of ids) expect(await engine.read((snapshot) => counterOf(snapshot, id))).toBe(5);
});

test.concurrent("two engines that increment one counter 500 times each lose no update", async () => {
  const url = await migratedDatabase();
  const engines = [await engineOn(url), await engineOn(url)];
  await Promise.all(
    engines.flatMap((engine) => Array.from({ length: 500 }, () => engine.write(1, (tx) => increment(tx, 1)))),
  );
  expect(await engines[0]?.read((snapshot) => counterOf(snapshot, 1))).toBe(1_000);
});

test.concurrent("two engines with mixed batches in opposite orders lose no update and have no deadlock", async () => {
  const url = await migratedDatabase();
  const sql = connection(url);
  const engines = [
    await engineOn(url, { connections: { writeLanes: 1 } }),
    await engineOn(url, { connections: { writeLanes: 3 } }),
  ];
  const orders = [ids, ids.toReversed()];
  await Promise.all(
    engines.map(async (engine, i) => {
      for (let round = 0; round < 30; round += 1)
        await Promise.all(orders[i]?.map((id) => engine.write(id, (tx) => increment(tx, id))) ?? []);
    }),
  );
  for (const id of ids) expect(await engines[0]?.read((snapshot) => counterOf(snapshot, id))).toBe(60);
  const [{ deadlocks }] =
    await sql`select deadlocks from pg_stat_database where datname = current_database()`;
  expect(Number(deadlocks)).toBe(0);
});

test.concurrent("an organization that another connection has locked does not delay other lanes, and its writes fail after 4 s", async () => {
  const url = await migratedDatabase();
  const engine = await engineOn(url, { connections: { writeLanes: 2 } });
  for (const id of ids) await engine.write(id, (tx) => addText(tx, id, "before"));
  const other = await connection(url).reserve();
  await other`begin`;
  await other`select from organization_locks where organization_id = 1 for update`;
  const startedAt = performance.now();
  const blocked = engine.write(1, (tx) => addText(tx, 1, "blocked")).catch((error: unknown) => error);
  await engine.write(2, (tx) => addText(tx, 2, "during"));
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  expect(await blocked).toBeInstanceOf(EngineBusy);
  expect(performance.now() - startedAt).toBeGreaterThan(3_500);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  // The lane works at once, although the other transaction is still open.
  await engine.write(3, (tx) => addText(tx, 3, "after"));
  await other`rollback`;
  await engine.write(1, (tx) => addText(tx, 1, "after"));
  expect(await engine.read((snapshot) => textsOf(snapshot, 1))).toEqual(["before", "after"]);
  expect(await allTexts(engine)).not.toContain("blocked");
}, 20_000);

test.concurrent("a batch that was ended by a deadlock runs again", async () => {
  const url = await migratedDatabase();
  const engine = await engineOn(url, { connections: { writeLanes: 1 } });
  await Promise.all([1, 2].map((id) => engine.write(id, (tx) => increment(tx, id))));
  const other = await connection(url).reserve();
  await other`begin`;
  await other`set local deadlock_timeout = '20 s'`;
  await other`select from organization_locks where organization_id = 2 for update`;
  const writes = [1, 2].map((id) => engine.write(id, (tx) => increment(tx, id)));
  await Bun.sleep(200);
  // The batch has organization 1 and waits for 2.
  await other`select from organization_locks where organization_id = 1 for update`;
  await other`commit`;
  expect(await Promise.all(writes)).toEqual([2, 2]);
}, 20_000);
