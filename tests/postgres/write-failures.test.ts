import { expect, test } from "bun:test";
import type { Engine, Transaction } from "../../db/engine.ts";
import { EngineBusy, ForeignKeyViolation, UniqueViolation } from "../../db/errors.ts";
import { connection, engineOn, migratedDatabase } from "./database.ts";
import { startTcpProxy } from "./proxy.ts";
import { addOrphan, addText, allTexts, counterOf, increment, sleepOnServer, textsOf } from "./rows.ts";

/** An engine with one lane, so that the writes of a turn of the event loop are one batch. */
const oneLane = async () => engineOn(await migratedDatabase(), { connections: { writeLanes: 1 } });

/** Runs the writes as one batch. Returns the name of the error of each, or "stored". */
async function outcomes(engine: Engine, writes: readonly [number, (tx: Transaction) => Promise<unknown>][]) {
  const results = await Promise.allSettled(writes.map(([id, work]) => engine.write(id, work)));
  return results.map((result) => (result.status === "fulfilled" ? "stored" : result.reason.message));
}

test.concurrent("a write that throws after a statement that failed has the error of the statement", async () => {
  const engine = await oneLane();
  await engine.write(1, (tx) => addText(tx, 1, "a"));
  const found = await outcomes(engine, [
    [1, (tx) => addText(tx, 1, "b")],
    [1, (tx) => addText(tx, 1, "a").then(() => Promise.reject(new Error("refused")))],
  ]);
  expect(found).toEqual(["stored", expect.stringContaining("unique")]);
});

test.concurrent("an attempt whose awaited statement fails after a change ends the write with the error of the statement", async () => {
  const engine = await oneLane();
  const found = await outcomes(engine, [
    [
      1,
      (tx) =>
        tx.attempt(() => addText(tx, 1, "half").then(() => sleepOnServer(tx, 1, "x" as unknown as number))),
    ],
    [2, (tx) => addText(tx, 2, "b")],
  ]);
  expect(found).toEqual([expect.not.stringContaining("another result"), "stored"]);
});

test.concurrent("a write that throws before it changed rows does not make the others run again", async () => {
  const engine = await oneLane();
  let runCount = 0;
  const found = await outcomes(engine, [
    [1, (tx) => addText(tx, 1, `a ${++runCount}`)],
    [1, (tx) => textsOf(tx, 1).then(() => Promise.reject(new Error("refused")))],
  ]);
  expect([found, runCount]).toEqual([["stored", "refused"], 1]);
});

test.concurrent("violations have their types, with the columns of a unique constraint", async () => {
  const engine = await oneLane();
  await engine.write(1, (tx) => addText(tx, 1, "a"));
  const unique = await engine.write(1, (tx) => addText(tx, 1, "a")).catch((error) => error);
  expect(unique).toBeInstanceOf(UniqueViolation);
  expect(unique.constraint).toBe("unmatched_ids.organization_id, unmatched_ids.external_id");
  const foreign = await engine.write(1, (tx) => addOrphan(tx, 1)).catch((error) => error);
  expect(foreign).toBeInstanceOf(ForeignKeyViolation);
});

test.concurrent("of a batch with several failing writes, each fails with its own error and the others are stored", async () => {
  const engine = await oneLane();
  const writes = Array.from({ length: 40 }, (_, i): [number, (tx: Transaction) => Promise<unknown>] => {
    const id = (i % 8) + 1;
    if (i % 5 === 1) return [id, (tx) => addOrphan(tx, id)];
    if (i % 5 === 3)
      return [
        id,
        async (tx) => {
          await addText(tx, id, `half ${i}`);
          throw new Error(`refused ${i}`);
        },
      ];
    return [id, (tx) => addText(tx, id, `text ${i}`)];
  });
  const found = await outcomes(engine, writes);
  for (const [i, outcome] of found.entries()) {
    if (i % 5 === 1) expect(outcome).toContain("violates foreign key constraint");
    else expect(outcome).toBe(i % 5 === 3 ? `refused ${i}` : "stored");
  }
  expect(await allTexts(engine)).toHaveLength(24);
});

test.concurrent("a write that continues after the error of a statement fails with this error", async () => {
  const engine = await oneLane();
  const found = await outcomes(engine, [
    [1, (tx) => addText(tx, 1, "a")],
    [2, (tx) => addOrphan(tx, 2).catch(() => "ignored")],
    [3, (tx) => addText(tx, 3, "b").then(() => addText(tx, 3, "c"))],
  ]);
  expect(found).toEqual(["stored", expect.stringContaining("foreign key"), "stored"]);
  expect(await allTexts(engine)).toEqual(["a", "b", "c"]);
});

test.concurrent("a write that fails late is rejected, and not the writes whose statements fail after its error", async () => {
  const engine = await oneLane();
  const slowly = async (tx: Transaction) => {
    try {
      await addOrphan(tx, 1);
    } finally {
      await Bun.sleep(50);
    }
  };
  const found = await outcomes(engine, [
    [1, slowly],
    [2, (tx) => addText(tx, 2, "a").then(() => addText(tx, 2, "b"))],
    [3, (tx) => addText(tx, 3, "c").then(() => addText(tx, 3, "d"))],
  ]);
  expect(found).toEqual([expect.stringContaining("foreign key"), "stored", "stored"]);
});

test.concurrent("a write is not rejected for the error of an earlier statement, which arrives with its own", async () => {
  const engine = await oneLane();
  const readBadly: [number, (tx: Transaction) => Promise<unknown>] = [1, (tx) => counterOf(tx, 1.5)];
  const others = [2, 3, 4].map((id): typeof readBadly => [id, (tx) => increment(tx, id)]);
  // The first round prepares the statements. Those of the second one are sent at once.
  for (let round = 0; round < 2; round += 1)
    expect(await outcomes(engine, [readBadly, ...others])).toEqual([
      expect.stringContaining("invalid input syntax"),
      ...others.map(() => "stored"),
    ]);
});

test.concurrent("a statement that was not awaited and fails makes its batch fail", async () => {
  const engine = await oneLane();
  const ignored = (tx: Transaction) => Promise.resolve(void addOrphan(tx, 1).catch(() => {}));
  expect(await outcomes(engine, [[1, ignored]])).toEqual([expect.stringContaining("did not await")]);
  const found = await outcomes(engine, [
    [1, ignored],
    [2, (tx) => addText(tx, 2, "a")],
  ]);
  expect(found[0]).not.toBe("stored");
  expect(await allTexts(engine)).toEqual(found[1] === "stored" ? ["a"] : []);
});

test.concurrent("a write whose transaction takes longer than its limit fails with this reason, and stores nothing", async () => {
  // The limit of a transaction is 3 seconds more than that of a statement.
  const connections = { writeLanes: 1, statementMilliseconds: 500 };
  const engine = await engineOn(await migratedDatabase(), { connections });
  const endless = engine.write(1, async (tx) => {
    await addText(tx, 1, "a");
    for (;;) await sleepOnServer(tx, 1, 0.2);
  });
  const error = await endless.catch((error) => error);
  expect(error).toBeInstanceOf(EngineBusy);
  expect(error.message).toContain("longer than the limit of a transaction");
  expect(await allTexts(engine)).toEqual([]);
});

test("a write that has to run again, and waits for a lock of another copy, undoes no rows of other organizations", async () => {
  const url = await migratedDatabase();
  const engine = await engineOn(url, { connections: { writeLanes: 1 } });
  const organizations = [2, 3, 4, 5];
  await Promise.all([1, ...organizations].map((id) => engine.write(id, (tx) => addText(tx, id, "before"))));
  const sql = connection(url);
  const copy = await sql.reserve();
  let runCount = 0;
  let locked: Promise<unknown> | undefined;
  const write = engine.write(1, async (tx) => {
    runCount += 1;
    if (runCount === 1) {
      // Gets the lock when the first run is rolled back.
      locked = (async () => {
        await copy`begin`;
        await copy`select from organization_locks where organization_id = 1 for update`;
      })();
      await sleepOnServer(tx, 1, 0.3);
    }
    const failing = tx.attempt(async () => {
      await addText(tx, 1, "bad");
      await textsOf(tx, 1);
      await textsOf(tx, 1);
      throw new Error("refused");
    });
    await failing.catch(() => {});
    await addText(tx, 1, "good");
  });
  await Bun.sleep(500);
  await locked;
  await Bun.sleep(500);
  const acknowledged: string[] = [];
  const writers = organizations.map(async (id) => {
    for (let i = 0; i < 30; i += 1) {
      const texts = [`${id} ${i}`, `${id} ${i} more`];
      await engine.write(id, async (tx) => {
        for (const text of texts) await addText(tx, id, text);
      });
      acknowledged.push(...texts);
    }
  });
  await Bun.sleep(80);
  await copy`commit`;
  await Promise.all([write, ...writers]);
  copy.release();
  const stored = new Set(await allTexts(engine));
  expect(acknowledged.filter((text) => !stored.has(text))).toEqual([]);
  expect([stored.has("good"), stored.has("bad")]).toEqual([true, false]);
});

test.concurrent("a slow write runs again after a failed attempt: a conflict is no slow database", async () => {
  const engine = await oneLane();
  await engine.write(1, (tx) => addText(tx, 1, "before"));
  const found = await outcomes(engine, [
    [
      1,
      async (tx) => {
        await sleepOnServer(tx, 1, 2.1);
        const failing = tx.attempt(() =>
          addText(tx, 1, "bad").then(() => Promise.reject(new Error("refused"))),
        );
        await failing.catch(() => {});
        await addText(tx, 1, "good");
      },
    ],
  ]);
  expect(found).toEqual(["stored"]);
  expect(await allTexts(engine)).toEqual(["before", "good"]);
});

test("a write whose connection is lost with the replies to its statements and its commit is stored once", async () => {
  let isArmed = false;
  const url = await startTcpProxy(await migratedDatabase(), (client, upstream) => {
    client.on("data", (data) => upstream.write(data));
    upstream.on("data", (data) => {
      const isLost = isArmed && data.includes("COMMIT");
      if (isLost) client.destroy();
      else client.write(data);
      isArmed &&= !isLost;
    });
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  });
  const engine = await engineOn(url, { connections: { writeLanes: 1 } });
  const write = () => engine.write(1, (tx) => increment(tx, 1), { insertsInto: "accounts" });
  await write();
  isArmed = true;
  await write();
  expect(isArmed).toBe(false);
  await write();
  expect(await engine.read((snapshot) => counterOf(snapshot, 1))).toBe(3);
});
