import { expect, test } from "bun:test";
import { systemTimer } from "../../db/timer.ts";
import { isBusy, isSaturated } from "../../src/jobs/busy.ts";
import { FakeTimer } from "../support/fake-timer.ts";
import { until } from "../webhooks/delivery-world.ts";

const engine = { ping: async () => {} };

test("requests keep the processors busy when a pause takes 2 ms longer", async () => {
  const timer = new FakeTimer();
  expect(await isBusy(engine, timer)).toBe(false);
  timer.delay = 2;
  expect(await isBusy(engine, timer)).toBe(true);
});

test("a process that uses a processor without a pause is saturated although no timer is late", async () => {
  let isSpinning = true;
  const spin = () => {
    const end = performance.now() + 0.5;
    while (performance.now() < end);
    if (isSpinning) setImmediate(spin);
  };
  spin();
  await Bun.sleep(50);
  const onTime = { elapsed: new FakeTimer().elapsed, sleep: systemTimer.sleep };
  expect(await isBusy(engine, onTime)).toBe(false);
  // Other processes may use the processor for a while.
  await until(() => isSaturated(engine, onTime));
  isSpinning = false;
  await until(async () => !(await isSaturated(engine, onTime)));
});
