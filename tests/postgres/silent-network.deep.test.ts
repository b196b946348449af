import { expect, test } from "bun:test";
import { EngineBusy } from "../../db/errors.ts";
import { startLossProxy } from "../faults/postgres-proxy.ts";
import { engineOn, migratedDatabase } from "./database.ts";
import { addText, textsOf } from "./rows.ts";

/** Runs all; returns the seconds of the slowest, and the errors that are not EngineBusy, or "done". */
async function timeOf(calls: readonly (() => Promise<unknown>)[]) {
  const startedAt = performance.now();
  let seconds = 0;
  const unexpected: unknown[] = [];
  await Promise.all(
    calls.map(async (call) => {
      const outcome = await call().then(
        () => "done",
        (error: unknown) => error,
      );
      if (!(outcome instanceof EngineBusy)) unexpected.push(outcome);
      seconds = Math.max(seconds, (performance.now() - startedAt) / 1000);
    }),
  );
  return { seconds, unexpected };
}

test("when the network is silent, every call fails within 8 s, also those that wait for a connection", async () => {
  const proxy = await startLossProxy(await migratedDatabase());
  const engine = await engineOn(proxy.url, { connections: { readConnections: 2, writeLanes: 1 } });
  const read = (id: number) => () => engine.read((snapshot) => textsOf(snapshot, id));
  const write = (id: number) => () => engine.write(id, (tx) => addText(tx, id, crypto.randomUUID()));
  const lookUp = (id: number) => () => engine.lookUp((snapshot) => textsOf(snapshot, id));
  await Promise.all([read(1)(), read(2)(), write(1)(), lookUp(1)()]);
  proxy.setSilent(true);
  const ids = Array.from({ length: 200 }, (_, i) => (i % 8) + 1);
  const calls = ids.flatMap((id) => [read(id), write(id), lookUp(id)]);
  const first = await timeOf([...calls, () => engine.ping()]);
  expect(first.unexpected).toEqual([]);
  expect(first.seconds).toBeLessThan(8);
  // Without a connection, only the time limit of connecting counts.
  const second = await timeOf(calls);
  expect(second.unexpected).toEqual([]);
  expect(second.seconds).toBeLessThan(5);
  proxy.setSilent(false);
  await Promise.all([read(1)(), read(2)(), write(1)(), lookUp(1)(), engine.ping()]);
}, 40_000);
