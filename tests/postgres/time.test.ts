import { expect, test } from "bun:test";
import { engineOn, migratedDatabase } from "./database.ts";
import { addText, textsOf } from "./rows.ts";

const hour = 3_600_000;

/** An engine with a clock that the test sets. */
async function engineWithClock(url: string, start: number) {
  const time = { now: start, elapsed: 0 };
  const engine = await engineOn(url, { clock: () => time.now, elapsed: () => time.elapsed });
  const write = (id: number) => engine.write(id, async (tx) => [await textsOf(tx, id), tx.now][1] as number);
  return { engine, time, write };
}

test("the time of an organization does not go back between engines whose clocks differ", async () => {
  const url = await migratedDatabase();
  const fast = await engineWithClock(url, 10_000_000 + hour - 1);
  const slow = await engineWithClock(url, 10_000_000);
  expect(await slow.write(1)).toBe(10_000_000);
  expect(await fast.write(1)).toBe(fast.time.now);
  expect(await slow.write(1)).toBe(fast.time.now);
  expect(slow.engine.now()).toBe(fast.time.now);
  // Another organization has no later transaction.
  expect(await slow.write(2)).toBe(10_000_000);
  slow.time.now = fast.time.now + 5;
  slow.time.elapsed = slow.time.now;
  expect(await slow.write(1)).toBe(slow.time.now);
});

test("the time of an organization follows the clock after it was set back by more than an hour", async () => {
  const { engine, time, write } = await engineWithClock(await migratedDatabase(), 10 * hour);
  expect(await write(1)).toBe(10 * hour);
  time.now = 9 * hour;
  expect(await write(1)).toBe(10 * hour);
  time.now = 9 * hour - 1;
  expect(await write(1)).toBe(9 * hour - 1);
  time.now = 2 * hour;
  expect(await write(1)).toBe(2 * hour);
  expect(engine.now()).toBe(2 * hour);
});

test("the time of an organization does not go back under load on two engines", async () => {
  const url = await migratedDatabase();
  const engines = [
    await engineOn(url, { clock: () => Date.now() + 200 }),
    await engineOn(url, { clock: () => Date.now() }),
  ];
  await Promise.all(
    engines.flatMap((engine) =>
      Array.from({ length: 200 }, (_, i) =>
        engine.write(1, (tx) => addText(tx, 1, `${tx.now} ${i} ${Math.random()}`)),
      ),
    ),
  );
  const texts = (await engines[0]?.read((snapshot) => textsOf(snapshot, 1))) ?? [];
  const times = texts.map((text) => Number(text.split(" ", 1)[0]));
  expect(times).toHaveLength(400);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});
