import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { isBusy } from "../../db/errors.ts";
import { noteQueue } from "./note-queue.ts";

test("changes that wait at the same moment are committed in one transaction", async () => {
  const { note, counted, seen } = await noteQueue();
  const texts = Array.from({ length: 100 }, (_, i) => `note ${i}`);
  await Promise.all(texts.map(note));
  expect(counted.commits).toBe(1);
  expect(seen()).toEqual(texts);
  await note("one more");
  expect(counted.commits).toBe(2);
  expect(counted.connections).toBe(1);
});

test("changes that arrive while a batch runs are committed together after it", async () => {
  const { queue, run, note, counted } = await noteQueue();
  const later: Promise<unknown>[] = [];
  await queue.push(async () => {
    run("INSERT INTO notes (text) VALUES ('first')");
    for (let i = 0; i < 20; i += 1) later.push(note(`later ${i}`));
  });
  expect(counted.commits).toBe(1);
  await Promise.all(later);
  expect(counted.commits).toBe(2);
});

test("a change that fails takes back itself alone, and the others of its batch are kept", async () => {
  const { note, queue, run, counted, seen } = await noteQueue();
  const failing = queue.push(async () => {
    run("INSERT INTO notes (text) VALUES ('half')");
    throw new Error("no more");
  });
  const results = await Promise.allSettled([note("a"), failing, note("b"), note("a"), note("c")]);
  expect(results.map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
  expect(results[1]).toMatchObject({ reason: { message: "no more" } });
  expect(results[3]).toMatchObject({ reason: { code: "SQLITE_CONSTRAINT_UNIQUE" } });
  expect(seen()).toEqual(["a", "b", "c"]);
  expect(counted.commits).toBe(1);
});

test("a change resolves with what its work answered", async () => {
  const { queue } = await noteQueue();
  const answers = await Promise.all([1, 2, 3].map((n) => queue.push(async () => n * 10)));
  expect(answers).toEqual([10, 20, 30]);
});

test("another connection sees a change when it resolves, and not before", async () => {
  const { queue, run, note, seen } = await noteQueue();
  const during: string[][] = [];
  const first = note("a");
  const second = queue.push(async () => {
    run("INSERT INTO notes (text) VALUES ('b')");
    during.push(seen());
  });
  await first;
  expect(seen()).toEqual(["a", "b"]);
  await second;
  expect(during).toEqual([[]]);
});

test("if the commit fails, every change of the batch is refused and none is stored", async () => {
  const { note, dangling, seen, counted } = await noteQueue();
  const results = await Promise.allSettled([note("a"), dangling(), note("b")]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  for (const result of results)
    expect(result).toMatchObject({ reason: { code: "SQLITE_CONSTRAINT_FOREIGNKEY" } });
  expect(seen()).toEqual([]);
  expect(counted.commits).toBe(1);
});

test("after a failed commit the queue goes on", async () => {
  const { note, dangling, seen } = await noteQueue();
  const failed = dangling();
  expect((await Promise.allSettled([failed]))[0]?.status).toBe("rejected");
  await Promise.all([note("a"), note("b")]);
  expect(seen()).toEqual(["a", "b"]);
});

test("while another program holds the write lock the event loop goes on, and the write succeeds after it", async () => {
  const { note, other, seen } = await noteQueue();
  other.run("BEGIN IMMEDIATE");
  let settled = false;
  const write = note("patient").then(() => {
    settled = true;
  });
  let longestTurn = 0;
  for (let turn = 0; turn < 30; turn += 1) {
    const start = performance.now();
    await Bun.sleep(10);
    longestTurn = Math.max(longestTurn, performance.now() - start);
  }
  expect(settled).toBe(false);
  expect(longestTurn).toBeLessThan(150);
  other.run("COMMIT");
  await write;
  expect(seen()).toEqual(["patient"]);
});

test("changes that wait five seconds for another program's lock are refused as busy, all at once", async () => {
  const { note, other, seen } = await noteQueue();
  other.run("BEGIN IMMEDIATE");
  const start = performance.now();
  const results = await Promise.allSettled(Array.from({ length: 1_000 }, (_, i) => note(String(i))));
  expect(performance.now() - start).toBeWithin(4_000, 9_000);
  expect(results.every((one) => one.status === "rejected" && isBusy(one.reason))).toBe(true);
  other.run("COMMIT");
  await note("after it");
  expect(seen()).toEqual(["after it"]);
}, 15_000);

test("the five seconds are five seconds also while others keep the event loop busy", async () => {
  const { note, other } = await noteQueue();
  other.run("BEGIN IMMEDIATE");
  const busy = setInterval(() => Bun.sleepSync(200), 1);
  const start = performance.now();
  const [result] = await Promise.allSettled([note("late")]);
  clearInterval(busy);
  expect(performance.now() - start).toBeWithin(4_000, 9_000);
  expect(result?.status).toBe("rejected");
}, 30_000);

test("once the queue closes, another program's lock is waited for no longer than a second", async () => {
  const { queue, note, other } = await noteQueue();
  other.run("BEGIN IMMEDIATE");
  const waiting = Promise.allSettled([note("late")]);
  const start = performance.now();
  await queue.close();
  expect(performance.now() - start).toBeLessThan(3_000);
  expect((await waiting)[0]?.status).toBe("rejected");
});

test("when ten thousand changes wait, a further one is refused as busy, and those are made", async () => {
  const { queue, note, seen, counted } = await noteQueue();
  const waiting = Array.from({ length: 10_000 }, (_, i) => note(String(i)));
  const [refused] = await Promise.allSettled([queue.push(async () => {})]);
  const reason = { code: "STORE_BUSY", message: "Too many changes are waiting." };
  expect(refused).toMatchObject({ status: "rejected", reason });
  expect(refused?.status === "rejected" && isBusy(refused.reason)).toBe(true);
  await Promise.all(waiting);
  expect(seen()).toHaveLength(10_000);
  expect(counted.commits).toBeLessThan(50);
});

test("close answers the changes under way, empties the WAL, and refuses later changes", async () => {
  const { queue, note, file } = await noteQueue();
  const underWay = Array.from({ length: 1_000 }, (_, i) => note(String(i)));
  await queue.close();
  const results = await Promise.allSettled(underWay);
  expect(results.every(({ status }) => status === "fulfilled")).toBe(true);
  expect(walSize(file)).toBe(0);
  const reason = { code: "STORE_BUSY", message: "The service is stopping." };
  await expect(queue.push(async () => {})).rejects.toMatchObject(reason);
});

function walSize(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
