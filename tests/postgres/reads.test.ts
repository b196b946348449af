import { expect, test } from "bun:test";
import { EngineBusy, EngineStopping, QueryTimeout } from "../../db/errors.ts";
import { openPostgres } from "../../db/postgres/engine.ts";
import { connection, emptyDatabase, engineOn, migratedDatabase } from "./database.ts";
import { addText, counterOf, increment, sleepOnServer, textsOf } from "./rows.ts";

test.concurrent("the statements of one read see one snapshot while another engine commits", async () => {
  const url = await migratedDatabase();
  const [reader, writer] = [await engineOn(url), await engineOn(url)];
  await writer.write(1, (tx) => increment(tx, 1));
  const seen = await reader.read(async (snapshot) => {
    const before = await counterOf(snapshot, 1);
    await writer.write(1, (tx) => increment(tx, 1));
    return [before, await counterOf(snapshot, 1), await counterOf(snapshot, 1)];
  });
  expect(seen).toEqual([1, 1, 1]);
  expect(await reader.read((snapshot) => counterOf(snapshot, 1))).toBe(2);
});

test.concurrent("a statement of a read or a write that has ended fails", async () => {
  const engine = await engineOn(await migratedDatabase());
  const late: (() => Promise<unknown>)[] = [];
  await engine.read(async (snapshot) => {
    await textsOf(snapshot, 1);
    late.push(() => textsOf(snapshot, 1));
  });
  await engine.write(1, async (tx) => {
    await textsOf(tx, 1);
    late.push(() => addText(tx, 1, "late"));
  });
  for (const statement of late) await expect(Promise.try(statement)).rejects.toThrow("awaits");
  expect(await engine.read((snapshot) => textsOf(snapshot, 1))).toEqual([]);
});

test.concurrent("reads that wait for a connection are served by organization in turn", async () => {
  const engine = await engineOn(await migratedDatabase(), { connections: { readConnections: 1 } });
  const served: number[] = [];
  const read = (id: number) =>
    engine.read(async (snapshot) => {
      await textsOf(snapshot, id);
      served.push(id);
    });
  await Promise.all([1, 1, 1, 1, 1, 1, 2, 3].map(read));
  expect(served.slice(0, 4)).toEqual(expect.arrayContaining([1, 2, 3]));
  expect(served).toHaveLength(8);
});

test.concurrent("a statement that takes too long fails with QueryTimeout, and its connection is usable", async () => {
  const engine = await engineOn(await migratedDatabase(), {
    connections: { readConnections: 1, writeLanes: 1 },
  });
  await engine.write(1, (tx) => addText(tx, 1, "a"));
  const startedAt = performance.now();
  const slowRead = engine.read((snapshot) => sleepOnServer(snapshot, 1, 30)).catch((error) => error);
  const slowWrite = engine.write(1, (tx) => sleepOnServer(tx, 1, 30)).catch((error) => error);
  expect(await slowRead).toBeInstanceOf(QueryTimeout);
  expect(await slowWrite).toBeInstanceOf(QueryTimeout);
  expect(performance.now() - startedAt).toBeLessThan(5_500);
  expect(await engine.read((snapshot) => textsOf(snapshot, 1))).toEqual(["a"]);
  await engine.write(1, (tx) => addText(tx, 1, "b"));
}, 20_000);

test.concurrent("a read of many short statements fails with QueryTimeout, too", async () => {
  const engine = await engineOn(await migratedDatabase(), {
    connections: { readConnections: 1, writeLanes: 1, statementMilliseconds: 300 },
  });
  let statementCount = 0;
  const startedAt = performance.now();
  const endless = engine.read(async (snapshot) => {
    for (;;) {
      await sleepOnServer(snapshot, 1, 0.1);
      statementCount += 1;
    }
  });
  expect(await endless.catch((error) => error)).toBeInstanceOf(QueryTimeout);
  // A transaction may take three seconds more than a statement.
  expect(performance.now() - startedAt).toBeWithin(3_000, 5_000);
  expect(statementCount).toBeGreaterThan(10);
  expect(await engine.read((snapshot) => textsOf(snapshot, 1))).toEqual([]);
}, 20_000);

test.concurrent("reads fail with EngineBusy while the server accepts no connection, and work afterwards", async () => {
  const url = await migratedDatabase();
  const name = new URL(url).pathname.slice(1);
  const engine = await engineOn(url, { connections: { readConnections: 2, writeLanes: 1 } });
  const admin = connection(await emptyDatabase());
  const read = () => engine.read((snapshot) => textsOf(snapshot, 1));
  await admin.unsafe(`alter database ${name} allow_connections false`).simple();
  const failed = await Promise.allSettled(Array.from({ length: 20 }, read));
  for (const result of failed)
    expect(result.status === "rejected" && result.reason).toBeInstanceOf(EngineBusy);
  await expect(engine.write(1, (tx) => textsOf(tx, 1))).rejects.toBeInstanceOf(EngineBusy);
  await admin.unsafe(`alter database ${name} allow_connections true`).simple();
  for (const texts of await Promise.all(Array.from({ length: 20 }, read))) expect(texts).toEqual([]);
});

test.concurrent("an engine that is closed waits for running reads, and rejects the others", async () => {
  const url = await migratedDatabase();
  const engine = await openPostgres(url, { clock: Date.now, connections: { readConnections: 1 } });
  await engine.write(1, (tx) => addText(tx, 1, "a"));
  const running = engine.read(async (snapshot) => {
    await sleepOnServer(snapshot, 1, 0.3);
    return textsOf(snapshot, 1);
  });
  const waiting = engine.read((snapshot) => textsOf(snapshot, 1)).catch((error) => error);
  await Bun.sleep(50);
  const closed = engine.close();
  const late = engine.read((snapshot) => textsOf(snapshot, 1)).catch((error) => error);
  expect(await running).toEqual(["a"]);
  expect(await waiting).toBeInstanceOf(EngineStopping);
  expect(await late).toBeInstanceOf(EngineStopping);
  await closed;
});

test.concurrent("an engine that is closed waits for a read for at most the time of a statement", async () => {
  const url = await migratedDatabase();
  const connections = { readConnections: 1, statementMilliseconds: 500 };
  const engine = await openPostgres(url, { clock: Date.now, connections });
  const { promise: isBegun, resolve } = Promise.withResolvers<void>();
  const endless = engine.read(async (snapshot) => {
    for (;;) {
      await textsOf(snapshot, 1);
      resolve();
    }
  });
  const outcome = endless.catch((error) => error);
  await isBegun;
  const startedAt = performance.now();
  await engine.close();
  expect(performance.now() - startedAt).toBeWithin(450, 1_500);
  expect(await outcome).toBeInstanceOf(EngineBusy);
});
