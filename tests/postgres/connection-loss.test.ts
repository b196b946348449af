import { expect, test } from "bun:test";
import { EngineBusy, OutcomeUnknown } from "../../db/errors.ts";
import { connection, engineOn, migratedDatabase } from "./database.ts";
import { addText, allTexts, textsOf } from "./rows.ts";

test("while every connection is terminated again and again, each acknowledged write is stored once", async () => {
  const url = await migratedDatabase();
  const engine = await engineOn(url);
  const sql = connection(url);
  const end = performance.now() + 2_500;
  const acknowledged: string[] = [];
  const rejected: string[] = [];
  const unknown: string[] = [];
  const others: unknown[] = [];
  let readCount = 0;
  async function writeTexts(worker: number): Promise<void> {
    for (let i = 0; performance.now() < end; i += 1) {
      const id = (worker % 8) + 1;
      const text = `${worker} ${i}`;
      try {
        await engine.write(id, (tx) => addText(tx, id, text));
        acknowledged.push(text);
      } catch (error) {
        if (error instanceof OutcomeUnknown) unknown.push(text);
        else if (error instanceof EngineBusy) rejected.push(text);
        else others.push(error);
      }
    }
  }
  async function readTexts(id: number): Promise<void> {
    while (performance.now() < end)
      try {
        await engine.read((snapshot) => textsOf(snapshot, id));
        readCount += 1;
      } catch (error) {
        if (!(error instanceof EngineBusy)) others.push(error);
      }
  }
  async function terminate(): Promise<number> {
    let count = 0;
    while (performance.now() < end) {
      const rows = await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'accountd' and datname = current_database()`;
      count += rows.length;
      await Bun.sleep(20);
    }
    return count;
  }
  const [terminatedCount] = await Promise.all([
    terminate(),
    ...Array.from({ length: 24 }, (_, worker) => writeTexts(worker)),
    ...[1, 2, 3, 4].map(readTexts),
  ]);
  expect(others).toEqual([]);
  for (const count of [terminatedCount, acknowledged.length, rejected.length, readCount])
    expect(count).toBeGreaterThan(10);
  const stored = await allTexts(engine);
  expect(stored.filter((text) => !unknown.includes(text))).toEqual(acknowledged.toSorted());
  await Promise.all([1, 2, 3, 4].map((id) => engine.write(id, (tx) => addText(tx, id, "after"))));
}, 20_000);

test("an engine whose connections were closed while they were idle goes on without an error", async () => {
  const url = await migratedDatabase();
  const engine = await engineOn(url, { connections: { readConnections: 1, writeLanes: 1 } });
  const use = async () => {
    await engine.write(1, (tx) => textsOf(tx, 1));
    await engine.read((snapshot) => textsOf(snapshot, 1));
    await engine.ping();
  };
  await use();
  const closed = await connection(url)`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'accountd' and datname = current_database()`;
  expect(closed).toHaveLength(3);
  await Bun.sleep(100);
  await use();
});
