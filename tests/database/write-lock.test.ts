import { expect, test } from "bun:test";
import { isBusy } from "../../db/errors.ts";
import { yieldToEventLoop } from "../../db/event-loop.ts";
import { noteQueue } from "./note-queue.ts";

test("while another program has the write lock the event loop runs, and the write succeeds after it", async () => {
  const { note, other, seen, timer } = await noteQueue();
  other.run("BEGIN IMMEDIATE");
  let isSettled = false;
  const write = note("patient").then(() => {
    isSettled = true;
  });
  for (let turn = 0; turn < 60; turn += 1) await yieldToEventLoop();
  expect(isSettled).toBe(false);
  expect(timer.sleepCount).toBeGreaterThan(10);
  other.run("COMMIT");
  await write;
  expect(seen()).toEqual(["patient"]);
});

test("changes that wait five seconds for another program's lock are rejected as busy, all at once", async () => {
  const { note, other, seen, timer } = await noteQueue();
  other.run("BEGIN IMMEDIATE");
  const results = await Promise.allSettled(Array.from({ length: 1_000 }, (_, i) => note(String(i))));
  expect(timer.elapsed()).toBe(5_000);
  expect(results.every((result) => result.status === "rejected" && isBusy(result.reason))).toBe(true);
  other.run("COMMIT");
  await note("after it");
  expect(seen()).toEqual(["after it"]);
});

test("the lock timeout is five seconds also while other work keeps the event loop busy", async () => {
  const { note, other, timer } = await noteQueue();
  other.run("BEGIN IMMEDIATE");
  timer.delay = 200;
  const [result] = await Promise.allSettled([note("late")]);
  expect(timer.elapsed()).toBeWithin(5_000, 5_220);
  expect(result?.status).toBe("rejected");
});

test("once the queue closes, it waits for another program's lock for a second at most", async () => {
  const { queue, note, other, timer } = await noteQueue();
  other.run("BEGIN IMMEDIATE");
  const waiting = Promise.allSettled([note("late")]);
  await queue.close();
  expect(timer.elapsed()).toBe(1_000);
  expect((await waiting)[0]?.status).toBe("rejected");
});
