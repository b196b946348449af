import { expect, test } from "bun:test";
import { TooManyReads } from "../../db/errors.ts";
import { engineOn, migratedDatabase } from "./database.ts";
import { addText, sleepOnServer, textsOf } from "./rows.ts";

const slowSeconds = 2;

test("slow reads delay neither short ones nor reads of others, and the 33rd that waits is rejected", async () => {
  const engine = await engineOn(await migratedDatabase(), { connections: { readConnections: 8 } });
  await engine.write(1, (tx) => addText(tx, 1, "text"));
  const startedAt = performance.now();
  const readSlowly = (seconds: number) =>
    engine.read((snapshot) => sleepOnServer(snapshot, 1, seconds), { place: "reader" });
  const slow = Array.from({ length: 4 }, () => readSlowly(slowSeconds));
  await Bun.sleep(100);
  for (let i = 0; i < 3; i += 1) {
    const short = Array.from({ length: 30 }, (_, j) =>
      engine.read((snapshot) => textsOf(snapshot, 1 + (j % 8))),
    );
    expect(await Promise.all(short)).toEqual(short.map((_, j) => (j % 8 === 0 ? ["text"] : [])));
  }
  const waiting = Array.from({ length: 30 }, () => readSlowly(0));
  await expect(readSlowly(0)).rejects.toBeInstanceOf(TooManyReads);
  expect(performance.now() - startedAt).toBeLessThan(slowSeconds * 1000);
  await Promise.all([...slow, ...waiting]);
  // Two at a time.
  expect(performance.now() - startedAt).toBeLessThan(3 * slowSeconds * 1000);
});

test.each([1, 2])(
  "with %p connections, one organization reads and others do not wait for ever",
  async (count) => {
    const engine = await engineOn(await migratedDatabase(), { connections: { readConnections: count } });
    await engine.write(1, (tx) => addText(tx, 1, "text"));
    const reads = Array.from({ length: 40 }, (_, i) =>
      engine.read((snapshot) => textsOf(snapshot, 1 + (i % 2))),
    );
    expect(await Promise.all(reads)).toEqual(reads.map((_, i) => (i % 2 === 0 ? ["text"] : [])));
  },
);
