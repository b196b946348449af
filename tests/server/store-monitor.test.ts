import { expect, test } from "bun:test";
import { DiskFull, StorageFailed } from "../../db/errors.ts";
import type { StoreState } from "../../src/http/probes.ts";
import { monitorStore } from "../../src/server/store-monitor.ts";
import { world } from "../support/world.ts";

test.each([
  ["full", new DiskFull("The disk is full."), "full"],
  ["failing", new StorageFailed("The disk failed."), "failing"],
  ["another error", new Error("a bug"), "ok"],
] as const)(
  "after a write that failed (%s), the state is right until a write works",
  async (_, error, state) => {
    const { engine } = await world();
    const events: unknown[] = [];
    const log = {
      info: (event: string) => void events.push(event),
      error: (event: string, fields?: { state?: unknown }) => void events.push(event, fields?.state),
    };
    const probes: (() => void)[] = [];
    const failing = {
      ...engine,
      write: () => Promise.reject(error),
      probeWrite: () => new Promise<void>((resolve) => probes.push(resolve)),
    };
    const store = monitorStore(failing, { log, intervalMilliseconds: 1 });
    expect(store.state()).toBe("ok");
    // Only the first failure of a minute is logged.
    for (let i = 0; i < 3; i += 1)
      expect(await store.engine.write(1, async () => {}).catch((thrown: unknown) => thrown)).toBe(error);
    expect(store.state()).toBe(state);
    if (state === "ok") return expect(events).toEqual([]);
    while (probes.length === 0) await Bun.sleep(1);
    probes[0]?.();
    while (store.state() !== "ok") await Bun.sleep(1);
    expect(events).toEqual(["writes_failing", state, "writes_working"]);
  },
);

test("an engine commits a transaction that changes no value, to test whether writes work", async () => {
  const { engine } = await world();
  await engine.probeWrite();
});

test.each<[StoreState, object]>([
  ["ok", { data: { status: "ok" } }],
  ["full", { data: { status: "ok", store: "full" } }],
  ["failing", { data: { status: "ok", store: "failing" } }],
])("while writes are %s, the server is ready and says so", async (state, body) => {
  const { call } = await world({ storeState: () => state });
  expect(await call("GET", "/readyz")).toMatchObject({ status: 200, body });
});
