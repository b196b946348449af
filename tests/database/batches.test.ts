import { expect, test } from "bun:test";
import { yieldToEventLoop } from "../../db/event-loop.ts";
import { noteQueue } from "./note-queue.ts";

/** As many changes as one batch takes in, and no longer than so many milliseconds. */
const [batchSize, batchTime] = [512, 20];

test("those who read get their turn between changes that take long, and each change is still made", async () => {
  const { queue, run, seen, counted } = await noteQueue();
  const slow = (text: string) =>
    queue.push(async () => {
      run(`INSERT INTO notes (text) VALUES ('${text}')`);
      Bun.sleepSync(15);
    });
  const texts = Array.from({ length: 40 }, (_, i) => `note ${i}`);
  let longest = 0;
  let last = performance.now();
  const turns = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  await Promise.all(texts.map(slow));
  clearInterval(turns);
  expect(longest).toBeLessThan(200);
  expect(counted.commits).toBeGreaterThan(5);
  expect(seen()).toEqual(texts);
});

test("what a batch had no time for is made once, before what came later", async () => {
  const { queue, run, seen, counted } = await noteQueue();
  const later: Promise<unknown>[] = [];
  const slow = (text: string) =>
    queue.push(async () => {
      run(`INSERT INTO notes (text) VALUES ('${text}')`);
      Bun.sleepSync(batchTime + 5);
      if (text === "1") later.push(slow("later"));
    });
  await Promise.all(["1", "2", "3"].map(slow));
  await Promise.all(later);
  expect(seen()).toEqual(["1", "2", "3", "later"]);
  expect(counted.commits).toBe(4);
});

test("what a batch had no time for is not refused with it", async () => {
  const { queue, run, seen, dangling } = await noteQueue();
  const slow = dangling().catch((error: unknown) => error);
  const long = queue.push(async () => Bun.sleepSync(batchTime + 5));
  const left = queue.push(async () => run("INSERT INTO notes (text) VALUES ('left')"));
  const results = await Promise.allSettled([slow, long, left]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await slow).toMatchObject({ code: "SQLITE_CONSTRAINT_FOREIGNKEY" });
  expect(seen()).toEqual(["left"]);
});

test("a batch that is refused takes none of those with it that wait behind it", async () => {
  const { note, dangling, seen } = await noteQueue();
  const first = Array.from({ length: batchSize - 1 }, (_, i) => note(`first ${i}`));
  const second = Promise.allSettled([dangling(), note("behind")]);
  const results = await Promise.allSettled(first);
  expect(results.every(({ status }) => status === "rejected")).toBe(true);
  expect((await second).map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(seen()).toEqual(["behind"]);
});

test("between two batches the event loop has its turn, though one change alone is left", async () => {
  const { queue, note } = await noteQueue();
  const order: string[] = [];
  const first = queue.push(async () => void setImmediate(() => order.push("turn")));
  const rest = Array.from({ length: batchSize - 1 }, (_, i) => note(String(i)));
  const last = queue.push(async () => void order.push("last"));
  await Promise.all([first, ...rest, last]);
  expect(order).toEqual(["turn", "last"]);
});

test("when the queue closes, a change that goes on for longer than a second is taken back, and others are kept", async () => {
  const { queue, run, note, seen } = await noteQueue();
  const before = note("before");
  const endless = queue.push(async (rows) => {
    run("INSERT INTO notes (text) VALUES ('half')");
    for (;;) await rows.pause();
  });
  const beside = note("beside");
  await yieldToEventLoop();
  const all = Promise.allSettled([before, endless, beside, note("behind")]);
  const start = performance.now();
  await queue.close();
  expect(performance.now() - start).toBeWithin(900, 3_000);
  const results = await all;
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
  for (const refused of [results[1], results[3]])
    expect(refused).toMatchObject({ reason: { code: "STORE_BUSY", message: "The service is stopping." } });
  expect(seen()).toEqual(["before", "beside"]);
});

test("what comes while a change pauses waits for its batch", async () => {
  const { queue, run, note, seen, counted } = await noteQueue();
  const later: Promise<unknown>[] = [];
  const long = queue.push(async (rows) => {
    run("INSERT INTO notes (text) VALUES ('long')");
    for (let i = 0; i < 5; i += 1) {
      later.push(note(`later ${i}`));
      await rows.pause();
    }
    run("INSERT INTO notes (text) VALUES ('as long')");
  });
  await long;
  await Promise.all(later);
  expect(seen()).toEqual(["long", "as long", ...Array.from({ length: 5 }, (_, i) => `later ${i}`)]);
  expect(counted.commits).toBe(2);
});
