import { expect, test } from "bun:test";
import type { Engine } from "../../db/engine.ts";
import { systemTimer } from "../../db/timer.ts";
import { Followers } from "../../src/core/changes/followers.ts";
import { startDeliveries } from "../../src/jobs/deliveries.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { deliveryWorld, startEndpoint, until } from "./delivery-world.ts";
import { rulesWith } from "./receiver.ts";

test("after a suspension of the process, no attempt begins before the lease is confirmed", async () => {
  const { engine, jobs, webhook, account, stop } = await deliveryWorld();
  await stop();
  let lease: boolean | Promise<boolean> = true;
  let suspendedMilliseconds = 0;
  const stopDeliveries = startDeliveries({
    engine: Object.create(engine, { leaseJobs: { value: async () => lease } }),
    jobs,
    followers: new Followers(engine),
    rules: rulesWith({ isInsecure: true }),
    timer: { ...systemTimer, elapsed: () => systemTimer.elapsed() + suspendedMilliseconds },
    log: { info() {}, error() {} },
  });
  closeAfterTest(stopDeliveries);
  const endpoint = await startEndpoint();
  await webhook({ url: endpoint.url });
  await account({ name: "Before" });
  await endpoint.count(1);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  lease = promise;
  suspendedMilliseconds = 30_000;
  await account({ name: "After" });
  await Bun.sleep(1_500);
  expect(endpoint.sequences()).toEqual([1]);
  resolve(true);
  await endpoint.count(2);
});

test("a webhook that is created while the active ones are read gets its changes", async () => {
  const { jobs, webhook, account, stop, start } = await deliveryWorld();
  await stop();
  const found = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  start({
    ...jobs,
    async listDelivering(ids) {
      const delivering = await jobs.listDelivering(ids);
      found.resolve();
      await gate.promise;
      return delivering;
    },
  });
  await found.promise;
  const endpoint = await startEndpoint();
  await webhook({ url: endpoint.url });
  await account({ name: "Acme" });
  gate.resolve();
  await endpoint.count(1);
});

test("writes are urgent for deliveries until the last webhook is deactivated", async () => {
  const { engine, jobs, webhook, patch, stop } = await deliveryWorld();
  await stop();
  let isUrgent = () => false;
  const watchWrites: Engine["watchWrites"] = (listener, options) => {
    isUrgent = options?.isUrgent ?? isUrgent;
    return engine.watchWrites(listener, options);
  };
  const stopDeliveries = startDeliveries({
    engine: Object.create(engine, { watchWrites: { value: watchWrites } }),
    jobs,
    followers: new Followers(engine),
    rules: rulesWith({ isInsecure: true }),
    log: { info() {}, error() {} },
  });
  closeAfterTest(stopDeliveries);
  const endpoint = await startEndpoint();
  const { id } = await webhook({ url: endpoint.url });
  await until(() => isUrgent());
  await patch(id, { active: false });
  await until(() => !isUrgent());
});
