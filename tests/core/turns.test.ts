import { drainMicrotasks } from "bun:jsc";
import { expect, test } from "bun:test";
import { continueWork, currentWork, noOrganization, takeTurn, waitForTurn } from "../../src/core/turns.ts";
import { turnsOf } from "../support/event-loop-turns.ts";

/** Uses the thread. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

/** A request of an organization that works for this time after it got its turn. It runs as in a callback of the server. */
function request(organizationId: number, milliseconds: number, done: () => void): Promise<void> {
  const answered = answer(organizationId, milliseconds, done);
  drainMicrotasks();
  return answered;
}

async function answer(organizationId: number, milliseconds: number, done: () => void): Promise<void> {
  await takeTurn(organizationId);
  work(milliseconds);
  done();
}

test("an organization with slow requests lets one of them run in each turn, and another one runs in between", async () => {
  const order: string[] = [];
  const slow = Array.from({ length: 20 }, () => request(1, 2, () => order.push("slow")));
  const other = request(2, 0, () => order.push("other"));
  await other;
  expect(order).toEqual(["slow", "other"]);
  const laterOther = (async () => {
    await Bun.sleep(10);
    const before = order.length;
    await request(2, 0, () => {});
    return order.length - before;
  })();
  expect(await laterOther).toBeLessThanOrEqual(1);
  await Promise.all(slow);
  expect(order.filter((name) => name === "slow")).toHaveLength(20);
});

test("short requests of one organization share a turn", async () => {
  let done = 0;
  const turns = await turnsOf(async () => {
    await Promise.all(Array.from({ length: 200 }, () => request(3, 0.01, () => (done += 1))));
  });
  expect(done).toBe(200);
  expect(turns).toBeLessThan(50);
});

test("every waiting organization is served in each turn", async () => {
  const order: number[] = [];
  const organizations = [11, 12, 13];
  await Promise.all(
    organizations.flatMap((id) => Array.from({ length: 4 }, () => request(id, 1.5, () => order.push(id)))),
  );
  // The first request of each organization runs at once.
  expect(order.slice(0, 3)).toEqual(organizations);
  for (let i = 3; i < order.length; i += 3) expect(order.slice(i, i + 3)).toEqual(organizations);
});

test("requests that continue at once, as after a commit, run one at a time, each organization for its time", async () => {
  const order: number[] = [];
  const { promise: commit, resolve } = Promise.withResolvers<void>();
  const writes = [...Array.from({ length: 20 }, () => 31), 32].map(async (organizationId) => {
    await commit;
    await waitForTurn(organizationId);
    work(2);
    order.push(organizationId);
  });
  resolve();
  await Promise.all(writes);
  expect(order.indexOf(32)).toBeLessThanOrEqual(3);
  expect(order).toHaveLength(21);
});

test("long work continues in later turns", async () => {
  await takeTurn(21);
  const turns = await turnsOf(async () => {
    for (let i = 0; i < 10; i += 1) {
      work(1.2);
      await continueWork();
    }
  });
  expect(turns).toBeGreaterThanOrEqual(9);
});

test("work ends with the turn of the event loop, and continues after promises", async () => {
  await takeTurn(noOrganization);
  const running = currentWork();
  expect(running?.organizationId).toBe(noOrganization);
  await Promise.resolve();
  expect(currentWork()).toBe(running);
  await Bun.sleep(1);
  expect(currentWork()).toBeUndefined();
});
