import { expect, test } from "bun:test";
import type { Engine } from "../../db/engine.ts";
import { startPooler, whyNoPooler } from "../faults/postgres-pooler.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { startPair } from "../support/postgres-standby.ts";
import { createSchema, engineOn, migratedDatabase } from "./database.ts";
import { startTcpProxy } from "./proxy.ts";
import { startCounter } from "./round-trips.ts";
import { medianDelay, watch } from "./watched-writes.ts";

/** Waits for reports within 100 ms. Throws when there are none after `maxMilliseconds`. */
async function expectNotifications(
  writer: Engine,
  next: (id: number) => Promise<void>,
  maxMilliseconds: number,
): Promise<void> {
  const end = performance.now() + maxMilliseconds;
  while ((await medianDelay(writer, next)) > 100) expect(performance.now()).toBeLessThan(end);
}

/** Longer than a poll with notifications, and without any. */
const [maxPollMilliseconds, maxFastPollMilliseconds] = [1_200, 400];

test.skipIf(whyNoPooler() !== undefined)(
  "behind PgBouncer in transaction mode, where no notification arrives, writes are found by polls",
  async () => {
    const url = await migratedDatabase();
    const [pooled = ""] = (await startPooler([url])).urls;
    const engine = () => engineOn(pooled, { connections: { prepare: false } });
    const [writer, reader] = [await engine(), await engine()];
    const { next } = watch(reader);
    await medianDelay(writer, next);
    expect(await medianDelay(writer, next)).toBeLessThan(maxFastPollMilliseconds);
  },
);

test.skipIf(whyNoPooler() !== undefined)(
  "behind PgBouncer in transaction mode, a process polls each second, and more often while a report is urgent",
  async () => {
    const target = await migratedDatabase();
    const [pooled = ""] = (await startPooler([target])).urls;
    const { url, statements } = await startCounter(pooled);
    const engine = await engineOn(url, { connections: { prepare: false } });
    let isUrgent = false;
    watch(engine, { isUrgent: () => isUrgent });
    const count = async () => {
      const before = statements();
      await Bun.sleep(3_000);
      return statements() - before;
    };
    await Bun.sleep(1_500);
    const calm = await count();
    expect(calm).toBeGreaterThan(1);
    expect(calm).toBeLessThanOrEqual(4);
    isUrgent = true;
    expect(await count()).toBeGreaterThan(5);
    isUrgent = false;
    const { end } = watch(engine);
    expect(await count()).toBeGreaterThan(5);
    end();
    await Bun.sleep(1_000);
    expect(await count()).toBeLessThanOrEqual(4);
  },
  30_000,
);

test.concurrent("after a failover, notifications arrive from the new primary", async () => {
  const pair = await startPair();
  closeAfterTest(pair.remove);
  await createSchema(pair.primary.url);
  const [writer, reader] = [await engineOn(pair.url), await engineOn(pair.url)];
  const { next } = watch(reader);
  await medianDelay(writer, next);
  expect(await medianDelay(writer, next)).toBeLessThan(100);
  await pair.promote();
  await pair.primary.stop("SIGQUIT");
  const found = next(2);
  for (let isStored = false; !isStored; await Bun.sleep(50))
    isStored = await writer.write(2, async () => true).catch(() => false);
  await found;
  await expectNotifications(writer, next, 20_000);
}, 60_000);

test.concurrent("a connection that listens and is silent is replaced; until then, writes are found by polls", async () => {
  const url = await migratedDatabase();
  let loseListener = () => {};
  const proxied = await startTcpProxy(url, (client, upstream) => {
    let isLost = false;
    client.on("data", (data) => {
      if (data.includes('LISTEN "accountd_'))
        loseListener = () => {
          isLost = true;
        };
      if (!isLost) upstream.write(data);
    });
    upstream.on("data", (data) => isLost || client.write(data));
    client.on("close", () => upstream.destroy());
  });
  const [writer, reader] = [await engineOn(url), await engineOn(proxied)];
  const { next } = watch(reader);
  await medianDelay(writer, next);
  expect(await medianDelay(writer, next)).toBeLessThan(100);
  loseListener();
  expect(await medianDelay(writer, next)).toBeLessThan(maxPollMilliseconds);
  await expectNotifications(writer, next, 90_000);
}, 120_000);
