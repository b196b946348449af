import { expect, test } from "bun:test";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { temporaryFile } from "../support/world.ts";

test("the time never decreases, in reads, transactions and their batches", async () => {
  let time = 5_000;
  const engine = openDatabase(temporaryFile("accountd.db"), { clock: () => time, canCreate: true });
  const timeOfWrite = () => engine.write(0, async (tx) => tx.now);
  const timeOfRead = () => engine.read(async (snapshot) => snapshot.now);
  expect(await timeOfWrite()).toBe(5_000);
  time = 4_000;
  expect([engine.now(), await timeOfRead(), await timeOfWrite()]).toEqual([5_000, 5_000, 5_000]);
  time = 6_000;
  const batch = [
    timeOfWrite(),
    engine.write(0, async (tx) => {
      time = 5_500;
      return tx.now;
    }),
    timeOfWrite(),
  ];
  expect(await Promise.all(batch)).toEqual([6_000, 6_000, 6_000]);
  expect([engine.now(), await timeOfRead()]).toEqual([6_000, 6_000]);
  time = 6_001;
  expect([engine.now(), await timeOfRead(), await timeOfWrite()]).toEqual([6_001, 6_001, 6_001]);
  await engine.close();
});

test("the time of a transaction is fixed when it begins", async () => {
  let time = 5_000;
  const engine = openDatabase(temporaryFile("accountd.db"), { clock: () => time, canCreate: true });
  const times = await engine.write(0, async (tx) => {
    const begin = tx.now;
    time = 7_000;
    await tx.pause();
    return [begin, tx.now];
  });
  expect(times).toEqual([5_000, 5_000]);
  await engine.close();
});
