import { expect, test } from "bun:test";
import { connection, engineOn, migratedDatabase } from "./database.ts";
import { counterOf, increment } from "./rows.ts";

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
