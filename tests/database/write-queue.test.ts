import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import type { Transaction } from "../../db/engine.ts";
import { isBusy } from "../../db/errors.ts";
import { yieldToEventLoop } from "../../db/event-loop.ts";
import { organizations } from "../../db/schema.ts";
import { select } from "../../db/statements.ts";
import { noteQueue } from "./note-queue.ts";

test("changes that wait at the same time are committed in one transaction", async () => {
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
  await queue.push(0, async () => {
    run("INSERT INTO notes (text) VALUES ('first')");
    for (let i = 0; i < 20; i += 1) later.push(note(`later ${i}`));
  });
  expect(counted.commits).toBe(1);
  await Promise.all(later);
  expect(counted.commits).toBe(2);
});

test("changes of requests that arrive in two turns of the event loop are committed together", async () => {
  const { note, counted } = await noteQueue();
  const first = note("first");
  await yieldToEventLoop();
  await Promise.all([first, note("second")]);
  expect(counted.commits).toBe(1);
});

test("a change that fails is rolled back alone, and the others of its batch are stored", async () => {
  const { note, queue, run, counted, seen } = await noteQueue();
  const failing = queue.push(0, async () => {
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

test("another connection reads a change when it resolves, and not before", async () => {
  const { queue, run, note, seen } = await noteQueue();
  const during: string[][] = [];
  const first = note("a");
  const second = queue.push(0, async () => {
    run("INSERT INTO notes (text) VALUES ('b')");
    during.push(seen());
  });
  await first;
  expect(seen()).toEqual(["a", "b"]);
  await second;
  expect(during).toEqual([[]]);
});

test("afterCommit is called before the writes of the batch resolve", async () => {
  const { note, queue, counted } = await noteQueue();
  const reported: number[] = [];
  const failing = queue.push(0, async () => {
    throw new Error("no more");
  });
  const watched = [note("a"), failing.catch(() => {}), note("b")].map(async (change) => {
    await change;
    reported.push(counted.reported);
  });
  await Promise.all(watched);
  expect(reported).toEqual([1, 1, 1]);
  await note("next");
  expect(counted.reported).toBe(2);
});

test("afterCommit is not called after a failed commit", async () => {
  const { note, dangling, counted } = await noteQueue();
  await Promise.allSettled([note("a"), dangling()]);
  expect(counted.reported).toBe(0);
  await note("b");
  expect(counted.reported).toBe(1);
});

test("a statement of an ended transaction fails, and does not affect another change", async () => {
  const { queue, note, seen } = await noteQueue();
  const all = select("tests.writeQueue.all", { fields: { id: organizations.id }, from: organizations });
  const late: Promise<unknown>[] = [];
  const forgotten = (tx: Transaction) => async () => {
    await yieldToEventLoop();
    late.push(tx.all(all, {}), tx.first(all, {}), tx.run(all, {}), tx.insert(all, {}));
  };
  const forgetting = (end: () => void) =>
    queue.push(0, async (tx) => {
      void forgotten(tx)();
      end();
    });
  const results = await Promise.allSettled([
    forgetting(() => {}),
    forgetting(() => {
      throw new Error("no more");
    }),
    note("other"),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  await yieldToEventLoop();
  expect(late).toHaveLength(8);
  for (const result of await Promise.allSettled(late))
    expect(result).toMatchObject({ reason: { message: expect.stringContaining("the transaction is over") } });
  expect(seen()).toEqual(["other"]);
});

test("when 10,000 changes wait, another one is rejected as busy, and the waiting ones are committed", async () => {
  const { queue, note, seen, counted } = await noteQueue();
  const waiting = Array.from({ length: 10_000 }, (_, i) => note(String(i)));
  const [rejected] = await Promise.allSettled([queue.push(0, async () => {})]);
  const reason = { code: "ENGINE_BUSY", message: "Too many writes are waiting." };
  expect(rejected).toMatchObject({ status: "rejected", reason });
  expect(rejected?.status === "rejected" && isBusy(rejected.reason)).toBe(true);
  await Promise.all(waiting);
  expect(seen()).toHaveLength(10_000);
  expect(counted.commits).toBeLessThan(50);
});

test("close commits the changes in progress, empties the WAL, and rejects later changes", async () => {
  const { queue, note, file } = await noteQueue();
  const inProgress = Array.from({ length: 1_000 }, (_, i) => note(String(i)));
  await queue.close();
  const results = await Promise.allSettled(inProgress);
  expect(results.every(({ status }) => status === "fulfilled")).toBe(true);
  expect(walSize(file)).toBe(0);
  const reason = { code: "ENGINE_BUSY", message: "The server is stopping." };
  await expect(queue.push(0, async () => {})).rejects.toMatchObject(reason);
});

function walSize(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

test("a bulk change is followed by a checkpoint at once, and the next change is not", async () => {
  const { file, queue, run, note } = await noteQueue();
  const manyPages = (text: string) => async () =>
    run(`INSERT INTO notes (text) VALUES ('${text}' || zeroblob(2000000))`);
  const sizeAfter = async (change: Promise<unknown>) => {
    await change;
    return statSync(file).size;
  };
  await note("a");
  const before = statSync(file).size;
  expect(await sizeAfter(queue.push(0, manyPages("b")))).toBe(before);
  const after = await sizeAfter(queue.push(0, manyPages("c"), { isBulk: true }));
  expect(after).toBeGreaterThan(before + 4_000_000);
  expect(await sizeAfter(queue.push(0, manyPages("d")))).toBe(after);
  // After a bulk change that fails, the next change has no checkpoint either.
  await expect(
    queue.push(
      0,
      async () => {
        run("PRAGMA defer_foreign_keys = ON");
        run("INSERT INTO replies (note_id) VALUES (0)");
      },
      { isBulk: true },
    ),
  ).rejects.toThrow();
  expect(await sizeAfter(queue.push(0, manyPages("e")))).toBe(after);
});

test("a write of more than 2,000 statements is a bulk write", async () => {
  const { file, queue, run } = await noteQueue();
  run("CREATE TABLE organizations (id INTEGER PRIMARY KEY)");
  const statement = select("tests.writeQueue.rows", {
    fields: { id: organizations.id },
    from: organizations,
  });
  const sizeAfter = async (statementCount: number) => {
    await queue.push(0, async (tx) => {
      run(`INSERT INTO notes (text) VALUES ('${statementCount}' || zeroblob(2000000))`);
      for (let i = 0; i < statementCount; i += 1) await tx.run(statement, {});
    });
    return statSync(file).size;
  };
  expect(await sizeAfter(2_000)).toBeLessThan(100_000);
  expect(await sizeAfter(2_001)).toBeGreaterThan(4_000_000);
});
