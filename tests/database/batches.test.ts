import { expect, test } from "bun:test";
import { noteQueue } from "./note-queue.ts";

/** The limits of a batch: changes, and milliseconds. */
const [batchSize, batchTime] = [512, 20];

test("the event loop has a turn after each batch of slow changes, and each change is made once", async () => {
  const { queue, run, seen, counted, timer } = await noteQueue();
  const slow = (text: string) =>
    queue.push(0, async () => {
      run(`INSERT INTO notes (text) VALUES ('${text}')`);
      timer.pass(15);
    });
  const texts = Array.from({ length: 40 }, (_, i) => `note ${i}`);
  const commitsAtTurns = new Set<number>();
  let isDone = false;
  const watch = () => {
    commitsAtTurns.add(counted.commits);
    if (!isDone) setImmediate(watch);
  };
  watch();
  await Promise.all(texts.map(slow));
  isDone = true;
  // Two changes of 15 ms exceed the time of a batch.
  expect(counted.commits).toBe(20);
  for (let commits = 1; commits < 20; commits += 1) expect(commitsAtTurns).toContain(commits);
  expect(seen()).toEqual(texts);
});

test("the event loop has a turn within a batch, after some milliseconds of changes", async () => {
  const { queue, counted } = await noteQueue();
  const turns: number[] = [];
  const slow = () =>
    queue.push(0, async () => {
      Bun.sleepSync(4);
      setImmediate(() => turns.push(counted.commits));
    });
  await Promise.all([slow(), slow(), slow()]);
  expect([turns, counted.commits]).toEqual([[0, 0], 1]);
});

test("changes that exceed the time limit of a batch are made once, before later ones", async () => {
  const { queue, run, seen, counted, timer } = await noteQueue();
  const later: Promise<unknown>[] = [];
  const slow = (text: string) =>
    queue.push(0, async () => {
      run(`INSERT INTO notes (text) VALUES ('${text}')`);
      timer.pass(batchTime + 5);
      if (text === "1") later.push(slow("later"));
    });
  await Promise.all(["1", "2", "3"].map(slow));
  await Promise.all(later);
  expect(seen()).toEqual(["1", "2", "3", "later"]);
  expect(counted.commits).toBe(4);
});

test("a batch adds changes until its time limit", async () => {
  const { queue, timer, counted } = await noteQueue();
  const exact = () => queue.push(0, async () => timer.pass(batchTime / 2));
  await Promise.all([exact(), exact(), exact()]);
  expect(counted.commits).toBe(1);
  await Promise.all([exact(), exact(), exact(), exact()]);
  expect(counted.commits).toBe(3);
});

test("after a slow change, short ones of other organizations are made in the same batch, for a time", async () => {
  const { queue, timer, counted } = await noteQueue();
  const order: string[] = [];
  const change = (organizationId: number, milliseconds: number) =>
    queue.push(organizationId, async () => {
      timer.pass(milliseconds);
      order.push(`${organizationId} in ${counted.commits}`);
    });
  const slow = () => change(1, batchTime + 10);
  await Promise.all([slow(), slow(), ...Array.from({ length: 30 }, () => change(2, 0.5))]);
  // 30 ms are over the time of a batch; then 10 ms and a change of 0.5 ms.
  const [first, second, third] = [0, 1, 2].map((batch) =>
    order.filter((line) => line.endsWith(`in ${batch}`)),
  );
  expect(first).toEqual(["1 in 0", ...new Array(21).fill("2 in 0")]);
  // They do not wait for a second slow change.
  expect(second).toEqual(new Array(9).fill("2 in 1"));
  expect(third).toEqual(["1 in 2"]);
});

test("a change that arrives during a slow one is committed before the next slow one of the same organization", async () => {
  const { queue, timer, counted } = await noteQueue();
  const order: string[] = [];
  const change = (organizationId: number, milliseconds: number, after?: () => void) =>
    queue.push(organizationId, async () => {
      timer.pass(milliseconds);
      order.push(`${organizationId} in ${counted.commits}`);
      after?.();
    });
  const later: Promise<unknown>[] = [];
  const slow = (other?: number) => change(1, batchTime + 10, () => other && later.push(change(other, 0.5)));
  await Promise.all([slow(2), slow(3), slow(4), slow()]);
  await Promise.all(later);
  expect(order).toEqual(["1 in 0", "2 in 1", "1 in 2", "3 in 3", "1 in 4", "4 in 5", "1 in 6"]);
});

test("changes that exceed the time limit of a batch are not rejected with it", async () => {
  const { queue, run, seen, dangling, timer } = await noteQueue();
  const failing = dangling().catch((error: unknown) => error);
  const long = queue.push(0, async () => timer.pass(batchTime + 5));
  const left = queue.push(0, async () => run("INSERT INTO notes (text) VALUES ('left')"));
  const results = await Promise.allSettled([failing, long, left]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await failing).toMatchObject({ code: "SQLITE_CONSTRAINT_FOREIGNKEY" });
  expect(seen()).toEqual(["left"]);
});

test("a batch that fails does not reject the changes after it", async () => {
  const { note, dangling, seen } = await noteQueue();
  const first = Array.from({ length: batchSize - 1 }, (_, i) => note(`first ${i}`));
  const second = Promise.allSettled([dangling(), note("behind")]);
  const results = await Promise.allSettled(first);
  expect(results.every(({ status }) => status === "rejected")).toBe(true);
  expect((await second).map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(seen()).toEqual(["behind"]);
});

test("between two batches the event loop has a turn, also when one change is left", async () => {
  const { queue, note } = await noteQueue();
  const order: string[] = [];
  const first = queue.push(0, async () => void setImmediate(() => order.push("turn")));
  const rest = Array.from({ length: batchSize - 1 }, (_, i) => note(String(i)));
  const last = queue.push(0, async () => void order.push("last"));
  await Promise.all([first, ...rest, last]);
  expect(order).toEqual(["turn", "last"]);
});

test("close rolls back a change that runs for more than a second, and keeps the others", async () => {
  const { queue, run, note, seen } = await noteQueue();
  const before = note("before");
  const begun = Promise.withResolvers<void>();
  const endless = queue.push(0, async (tx) => {
    begun.resolve();
    run("INSERT INTO notes (text) VALUES ('half')");
    for (;;) await tx.pause();
  });
  const inBatch = note("same batch");
  await begun.promise;
  const all = Promise.allSettled([before, endless, inBatch, note("behind")]);
  const start = performance.now();
  await queue.close();
  expect(performance.now() - start).toBeWithin(900, 3_000);
  const results = await all;
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
  for (const rejected of [results[1], results[3]])
    expect(rejected).toMatchObject({ reason: { code: "ENGINE_BUSY", message: "The server is stopping." } });
  expect(seen()).toEqual(["before", "same batch"]);
});

test("changes that arrive while a change pauses wait for its batch", async () => {
  const { queue, run, note, seen, counted } = await noteQueue();
  const later: Promise<unknown>[] = [];
  const long = queue.push(0, async (tx) => {
    run("INSERT INTO notes (text) VALUES ('long')");
    for (let i = 0; i < 5; i += 1) {
      later.push(note(`later ${i}`));
      await tx.pause();
    }
    run("INSERT INTO notes (text) VALUES ('end of long')");
  });
  await long;
  await Promise.all(later);
  expect(seen()).toEqual(["long", "end of long", ...Array.from({ length: 5 }, (_, i) => `later ${i}`)]);
  expect(counted.commits).toBe(2);
});
