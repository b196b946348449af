import { expect, test } from "bun:test";
import { inputs } from "../../db/expressions.ts";
import { organizations } from "../../db/schema.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { insert, select } from "../../db/statements.ts";
import { turnsOf } from "./event-loop-turns.ts";
import { slowEngine } from "./slow-engine.ts";
import { temporaryFile } from "./world.ts";

const names = select("tests.slowEngine.names", {
  fields: { id: organizations.id, name: organizations.name },
  from: organizations,
});
const add = insert("tests.slowEngine.add", {
  into: organizations,
  values: inputs(organizations, "name", "foldedName", "createdAt"),
});
const row = (name: string) => ({ name, foldedName: name, createdAt: 1 });

async function newEngine() {
  const file = temporaryFile("accountd.db");
  const engine = slowEngine(openDatabase(file, { clock: () => 1, canCreate: true }), file);
  return { engine, [Symbol.asyncDispose]: () => engine.close() };
}

test("every function runs twice, and the first run of a write is rolled back with its ids", async () => {
  await using here = await newEngine();
  const { engine } = here;
  const runs: number[] = [];
  const id = await engine.write(0, async (tx) => {
    runs.push(await tx.insert(add, row("first")));
    return tx.insert(add, row("second"));
  });
  expect([runs, id]).toEqual([[1, 1], 2]);
  let reads = 0;
  const found = await engine.read(async (snapshot) => {
    reads += 1;
    return snapshot.all(names, {});
  });
  expect([reads, found.length]).toEqual([2, 2]);
});

test("every statement takes a turn of the event loop", async () => {
  await using here = await newEngine();
  const { engine } = here;
  const turns = await turnsOf(() =>
    engine.read(async (snapshot) => {
      for (let i = 0; i < 10; i += 1) await snapshot.first(names, {});
    }),
  );
  expect(turns).toBeGreaterThanOrEqual(2 * 10);
  const turnsOfWrite = await turnsOf(() =>
    engine.write(0, async (tx) => {
      for (let i = 0; i < 10; i += 1) await tx.all(names, {});
    }),
  );
  expect(turnsOfWrite).toBeGreaterThanOrEqual(2 * 10);
});

test("a read has one snapshot for all of its turns, while others write", async () => {
  await using here = await newEngine();
  const { engine } = here;
  const counts: number[] = [];
  const reading = engine.read(async (snapshot) => {
    for (let i = 0; i < 20; i += 1) counts.push((await snapshot.all(names, {})).length);
  });
  for (const name of ["a", "b", "c"]) await engine.write(0, (tx) => tx.insert(add, row(name)));
  await reading;
  expect(counts).toEqual(Array(40).fill(0));
  expect(await engine.read((snapshot) => snapshot.all(names, {}))).toHaveLength(3);
});

test("after a statement that failed, a transaction runs no other", async () => {
  await using here = await newEngine();
  const { engine } = here;
  await engine.write(0, (tx) => tx.insert(add, row("taken")));
  const ignoring = engine.write(0, async (tx) => {
    await tx.insert(add, row("taken")).catch(() => {});
    await tx.insert(add, row("other"));
  });
  await expect(ignoring).rejects.toThrow("the transaction was aborted");
  expect(await engine.read((snapshot) => snapshot.all(names, {}))).toHaveLength(1);
});

test("rows without an order are returned in another order than they were inserted in", async () => {
  await using here = await newEngine();
  const { engine } = here;
  for (const name of ["a", "b", "c"]) await engine.write(0, (tx) => tx.insert(add, row(name)));
  const found = await engine.read((snapshot) => snapshot.all(names, {}));
  expect(found.map(({ name }) => name)).toEqual(["c", "b", "a"]);
});
