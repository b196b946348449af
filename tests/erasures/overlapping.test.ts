import { expect, test } from "bun:test";
import { EngineBusy } from "../../db/errors.ts";
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

test("a long change that fails does not end the next one, and too many are rejected", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const order: string[] = [];
  const failing = runLongChange(1, async () => {
    await promise;
    order.push("fails");
    throw new Error("failed");
  });
  const waiting = Array.from({ length: 100 }, (_, i) => runLongChange(1, async () => order.push(`${i}`)));
  await expect(runLongChange(1, async () => {})).rejects.toBeInstanceOf(EngineBusy);
  await runLongChange(2, async () => order.push("other organization"));
  resolve();
  await expect(failing).rejects.toThrow("failed");
  await Promise.all(waiting);
  expect(order.slice(0, 4)).toEqual(["other organization", "fails", "0", "1"]);
  expect(order).toHaveLength(102);
  expect(await runLongChange(1, async () => "next")).toBe("next");
});
