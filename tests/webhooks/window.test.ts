import { expect, test } from "bun:test";
import { Slots } from "../../src/webhooks/deliver/slots.ts";
import { DeliveryWindow } from "../../src/webhooks/deliver/window.ts";

const now = 1_000;

/** A window with deliveries of these accounts, numbered from 1. `next` begins the next one. */
function windowOf(accountIds: readonly number[], isStrict = false) {
  const window = new DeliveryWindow(isStrict);
  window.add(
    accountIds.map((accountId, i) => ({ sequence: i + 1, accountId, attempts: 0, nextAttemptAt: now })),
  );
  const next = (at = now, firstAttemptAt = 0) => {
    const delivery = window.find(at, firstAttemptAt);
    if (delivery) window.begin(delivery);
    return delivery;
  };
  return { window, next };
}

test("an account has one running delivery, its oldest; others run next to it", () => {
  const { window, next } = windowOf([7, 7, 8, 0]);
  const begun = [next(), next(), next(), next()];
  expect(begun.map((delivery) => delivery?.sequence)).toEqual([1, 3, 4, undefined]);
  for (const delivery of begun) if (delivery) window.remove(delivery);
  expect([next()?.sequence, next(), window.size]).toEqual([2, undefined, 1]);
});

test("a strict webhook has one running delivery", () => {
  const { window, next } = windowOf([7, 8], true);
  const first = next();
  expect([first?.sequence, next()]).toEqual([1, undefined]);
  if (first) window.remove(first);
  expect(next()?.sequence).toBe(2);
});

test("a delivery that failed blocks the later ones of its account until it is due", () => {
  const { window, next } = windowOf([7, 7, 8]);
  const first = next();
  if (first) window.keep(first, { attempts: 1, nextAttemptAt: now + 5 });
  expect([next()?.sequence, next()]).toEqual([3, undefined]);
  expect(next(now + 5)).toEqual({ sequence: 1, accountId: 7, attempts: 1, nextAttemptAt: now + 5 });
});

test("an attempt without a result is repeated", () => {
  const { window, next } = windowOf([7]);
  const first = next();
  if (first) window.keep(first);
  expect(next()).toEqual({ sequence: 1, accountId: 7, attempts: 0, nextAttemptAt: now });
});

test("first attempts are spaced, retries are not", () => {
  const { window, next } = windowOf([7, 8]);
  const first = next();
  if (first) window.keep(first, { attempts: 1, nextAttemptAt: now + 5 });
  expect([next(now + 5, now + 9)?.sequence, next(now + 5, now + 9)]).toEqual([1, undefined]);
  expect(next(now + 9, now + 9)?.sequence).toBe(2);
});

test("an account with many deliveries does not come before the others each time", () => {
  const { window, next } = windowOf([7, 7, 8, 9]);
  const first = next();
  if (first) window.remove(first);
  expect([next(), next(), next()].map((delivery) => delivery?.sequence)).toEqual([3, 4, 2]);
});

test("organizations take slots in turn, and so do the webhooks of one", () => {
  const slots = new Slots();
  const [a, b, c, other] = [1, 1, 1, 2].map((organizationId) => ({ organizationId }));
  for (const user of [a, b, c, other, a]) if (user) slots.request(user);
  const taken = [1, 2, 3, 4, 5].map(() => slots.take());
  expect(taken.map((user) => [a, b, c, other].indexOf(user))).toEqual([0, 3, 1, 2, -1]);
});

test("100 attempts run at once; a released slot is taken again", async () => {
  const slots = new Slots();
  for (let organizationId = 1; organizationId <= 101; organizationId += 1) slots.request({ organizationId });
  for (let count = 0; count < 100; count += 1) expect(slots.take()).toBeDefined();
  expect(slots.take()).toBeUndefined();
  const ready = slots.ready();
  slots.release();
  await ready;
  expect(slots.take()).toEqual({ organizationId: 101 });
});
