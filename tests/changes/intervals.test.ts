import { expect, test } from "bun:test";
import { Followers } from "../../src/core/changes/followers.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { until } from "../webhooks/delivery-world.ts";

test("followers read a page in each interval while the processor is busy, and without a pause when it is not", async () => {
  const followers = new Followers({ watchWrites: () => () => {} });
  closeAfterTest(async () => followers.stop());
  const [follower] = Array.from({ length: 40 }, () => followers.begin(1));
  if (!follower) throw new Error("no follower");
  const elapsed = async () => {
    const start = performance.now();
    for (let i = 0; i < 4; i += 1) await follower.nextInterval();
    return performance.now() - start;
  };
  expect(await elapsed()).toBeLessThan(50);
  let isSpinning = true;
  const spin = () => {
    const end = performance.now() + 2;
    while (performance.now() < end);
    if (isSpinning) setImmediate(spin);
  };
  spin();
  // Between four pages are two whole intervals of 100 ms, at least.
  await until(async () => (await elapsed()) >= 200);
  isSpinning = false;
  await until(async () => (await elapsed()) < 50);
});
