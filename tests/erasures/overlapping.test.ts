import { expect, test } from "bun:test";
import { runLongChange } from "../../src/core/long-changes.ts";
import { email, erasureWorld, marker, nothing, userId } from "./erasure-world.ts";

test("erasures of one organization run one after another, and each is complete", async () => {
  const here = await erasureWorld();
  const addresses = Array.from({ length: 5 }, (_, i) => `${i}.${email}`);
  for (const [i, address] of addresses.entries()) await here.storeContact(i, { address });
  await here.storeEvents();
  const { engine } = here;
  const eraseDeleted = engine.eraseDeleted.bind(engine);
  let [runningCount, maxRunningCount] = [0, 0];
  const write = engine.write.bind(engine);
  engine.write = (organizationId, run, options) => {
    // The first bulk write of an erasure begins it; the last part of its file pass ends it.
    if (options?.isBulk) maxRunningCount = Math.max(maxRunningCount, runningCount);
    return write(organizationId, run, options);
  };
  engine.eraseDeleted = () => {
    runningCount += 1;
    const erasePart = eraseDeleted();
    return async () => {
      const hasMore = await erasePart();
      if (!hasMore) runningCount -= 1;
      return hasMore;
    };
  };
  const bodies = [...addresses.map((address) => ({ email: address })), { userId }, { userId }];
  const replies = await Promise.all(bodies.map((body) => here.erase(body)));
  expect(replies.map(({ status }) => status)).toEqual(bodies.map(() => 200));
  expect(maxRunningCount).toBe(1);
  expect(await here.content()).not.toContain(marker);
  expect((await here.erase({ userId })).body.data).toEqual(nothing);
  if (here.file !== "") expect(here.occurrences()).toBe(0);
});

test("erasures of two organizations run at the same time", async () => {
  const here = await erasureWorld();
  const { engine } = here;
  const eraseDeleted = engine.eraseDeleted.bind(engine);
  const { promise: areBothRunning, resolve } = Promise.withResolvers<void>();
  let begunCount = 0;
  engine.eraseDeleted = () => {
    begunCount += 1;
    if (begunCount === 2) resolve();
    const erasePart = eraseDeleted();
    return async () => {
      await areBothRunning;
      return erasePart();
    };
  };
  const replies = await Promise.all([
    here.erase({ email }),
    here.erase({ email }, { key: here.keys.second }),
  ]);
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
});

/** A dry run of an erasure that runs until `end` is called. */
async function runningErasure({ engine, erase }: Awaited<ReturnType<typeof erasureWorld>>) {
  const { promise: isRunning, resolve: begin } = Promise.withResolvers<void>();
  const { promise: isEnded, resolve: end } = Promise.withResolvers<void>();
  const { read } = engine;
  engine.read = async (fn, options) => {
    engine.read = read;
    begin();
    await isEnded;
    return read(fn, options);
  };
  const reply = erase({ userId }, { query: "?dryRun=true" });
  await isRunning;
  return { reply, end };
}

const tooBusy = {
  type: "urn:accountd:problem:too_busy",
  title: "Too busy",
  status: 503,
  detail:
    "Too many erasures of your organization are waiting. Send the request again after the time in Retry-After.",
  code: "too_busy",
};

test("32 erasures and dry runs of an organization wait, at most 5 s; others are 503 too_busy at once", async () => {
  const here = await erasureWorld();
  await here.storeContact(1);
  const { reply, end } = await runningErasure(here);
  const start = performance.now();
  const replies = Array.from({ length: 64 }, async (_, i) => {
    const { status, body, headers } = await here.erase({ email }, { query: i % 2 ? "?dryRun=true" : "" });
    expect([status, body]).toEqual([503, { ...tooBusy, requestId: headers.get("x-request-id") }]);
    expect(headers.get("retry-after")).toBe("5");
    return { i, milliseconds: performance.now() - start };
  });
  const other = await here.erase({ email }, { key: here.keys.second, query: "?dryRun=true" });
  expect(other.status).toBe(200);
  const waits = await Promise.all(replies);
  const waited = waits.filter(({ milliseconds }) => milliseconds > 4_900);
  expect(waited.map(({ i }) => i)).toEqual(Array.from({ length: 32 }, (_, i) => i));
  for (const { milliseconds } of waits) expect(milliseconds).toBeLessThan(9_000);
  for (const { i, milliseconds } of waits) if (i >= 32) expect(milliseconds).toBeLessThan(4_000);
  end();
  expect((await reply).status).toBe(200);
  // None of them has erased anything, and none takes a turn.
  expect(await here.content()).toContain(marker);
  expect((await here.erase({ email })).body.data).toMatchObject({ contacts: 1 });
}, 30_000);

test("erasures that wait for less than 5 s are answered, also dry runs", async () => {
  const here = await erasureWorld();
  await here.storeContact(1);
  const { reply, end } = await runningErasure(here);
  const replies = Array.from({ length: 8 }, () => here.erase({ email }, { query: "?dryRun=true" }));
  end();
  for (const waiting of [reply, ...replies]) expect((await waiting).status).toBe(200);
});

test("a long change that fails does not end the next one", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const order: string[] = [];
  const failing = runLongChange(1, async () => {
    await promise;
    order.push("fails");
    throw new Error("failed");
  });
  const waiting = Array.from({ length: 32 }, (_, i) => runLongChange(1, async () => order.push(`${i}`)));
  await runLongChange(2, async () => order.push("other organization"));
  resolve();
  await expect(failing).rejects.toThrow("failed");
  await Promise.all(waiting);
  expect(order.slice(0, 4)).toEqual(["other organization", "fails", "0", "1"]);
  expect(order).toHaveLength(34);
  expect(await runLongChange(1, async () => "next")).toBe("next");
});
