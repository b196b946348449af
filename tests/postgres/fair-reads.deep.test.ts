import { expect, test } from "bun:test";
import { engineOn, migratedDatabase } from "./database.ts";
import { addText, sleepOnServer, textsOf } from "./rows.ts";

const slowSeconds = 2;

test("slow reads of one organization do not use all connections, and reads of others do not wait for them", async () => {
  const engine = await engineOn(await migratedDatabase(), { connections: { readConnections: 8 } });
  await engine.write(1, (tx) => addText(tx, 1, "text"));
  const startedAt = performance.now();
  const slow = Array.from({ length: 12 }, () =>
    engine.read((snapshot) => sleepOnServer(snapshot, 1, slowSeconds)),
  );
  await Bun.sleep(100);
  for (let i = 0; i < 3; i += 1) {
    const others = Array.from({ length: 30 }, (_, j) =>
      engine.read((snapshot) => textsOf(snapshot, 2 + (j % 7))),
    );
    expect(await Promise.all(others)).toEqual(others.map(() => []));
  }
  expect(performance.now() - startedAt).toBeLessThan(slowSeconds * 1000);
  await Promise.all(slow);
  // Six at a time.
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
