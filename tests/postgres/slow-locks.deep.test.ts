import { expect, test } from "bun:test";
import type { Engine } from "../../db/engine.ts";
import { EngineBusy } from "../../db/errors.ts";
import { connection, engineOn, migratedDatabase } from "./database.ts";
import { addText, allTexts, textsOf } from "./rows.ts";

const ids = [1, 2, 3, 4];

/** Runs calls while another transaction has a lock, and again 0.3 s later; all have to fail within 5 s. */
async function expectFailures(lock: string, calls: (engine: Engine, text: string) => Promise<unknown>[]) {
  const url = await migratedDatabase();
  const engine = await engineOn(url, { connections: { readConnections: 1, writeLanes: 1 } });
  await Promise.all(calls(engine, "before"));
  const other = await connection(url).reserve();
  await other`begin`;
  await other.unsafe(lock);
  const timed = calls.bind(undefined, engine);
  const outcomes = (text: string) =>
    timed(text).map(async (call) => {
      const startedAt = performance.now();
      const outcome = await call.catch((error: unknown) => error);
      return { outcome, seconds: (performance.now() - startedAt) / 1000 };
    });
  const first = outcomes("during");
  await Bun.sleep(300);
  const found = await Promise.all([...first, ...outcomes("later")]);
  await other`rollback`;
  for (const { outcome, seconds } of found) {
    expect(outcome).toBeInstanceOf(EngineBusy);
    expect(seconds).toBeLessThan(5);
  }
  await Promise.all(calls(engine, "after"));
  return allTexts(engine);
}

const lockTable = "lock table unmatched_ids in access exclusive mode";

// The cases run side by side, because each takes 4 s.
test.concurrent("all calls that wait for a locked table fail within 5 s", async () => {
  const write = (engine: Engine, text: string) =>
    ids.map((id) => engine.write(id, (tx) => addText(tx, id, text)));
  const using = (method: "read" | "lookUp") => (engine: Engine) =>
    ids.map((id) => engine[method]((snapshot) => textsOf(snapshot, id)));
  const [behindTable] = await Promise.all([
    expectFailures(lockTable, write),
    expectFailures(lockTable, using("read")),
    expectFailures(lockTable, using("lookUp")),
  ]);
  expect(behindTable).toEqual([...ids.map(() => "after"), ...ids.map(() => "before")]);
}, 60_000);

test.concurrent.each([true, false])(
  "writes of a locked organization fail within 5 s, those of others with its lane wait for at most 1 s (prepare: %p)",
  async (prepare) => {
    const url = await migratedDatabase();
    const engine = await engineOn(url, { connections: { writeLanes: 1, prepare } });
    const timed = async (id: number, text: string) => {
      const startedAt = performance.now();
      const error = await engine
        .write(id, async (tx) => void (await addText(tx, id, text)))
        .catch((error: unknown) => error);
      return { id, error, seconds: (performance.now() - startedAt) / 1000 };
    };
    await Promise.all(ids.map((id) => timed(id, "before")));
    const other = await connection(url).reserve();
    await other`begin`;
    await other`select from organization_locks where organization_id = 2 for update`;
    // More than a batch.
    const found = Array.from({ length: 80 }, (_, i) => timed(2, `burst ${i}`));
    // Organization 5 has no row to be locked yet.
    for (let i = 0; i < 60; i += 1) {
      found.push(...[...ids, ...(i % 20 === 10 ? [5] : [])].map((id) => timed(id, `during ${i}`)));
      await Bun.sleep(100);
    }
    const results = await Promise.all(found);
    for (const { id, error, seconds } of results) {
      expect([id, error]).toEqual([id, id === 2 ? expect.any(EngineBusy) : undefined]);
      expect(seconds).toBeLessThan(id === 2 ? 5 : 1);
    }
    const waiting = timed(2, "after");
    await Bun.sleep(1_000);
    await other`rollback`;
    const { error, seconds } = await waiting;
    expect(error).toBeUndefined();
    expect(seconds).toBeLessThan(2);
    expect(await engine.read((snapshot) => textsOf(snapshot, 2))).toEqual(["before", "after"]);
    expect(await engine.read((snapshot) => textsOf(snapshot, 3))).toHaveLength(61);
    expect(await engine.read((snapshot) => textsOf(snapshot, 5))).toHaveLength(3);
  },
  30_000,
);
