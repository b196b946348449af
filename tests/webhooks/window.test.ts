import { expect, test } from "bun:test";
import { Permits } from "../../src/webhooks/deliver/permits.ts";
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

test("a delivery that became due while the clock was ahead is due when the clock is set back", () => {
  const { window, next } = windowOf([7, 8]);
  const first = next();
  if (first) window.keep(first, { attempts: 1, nextAttemptAt: now + 27 * 3_600_000 });
  expect([next(), next()].map((delivery) => delivery?.sequence)).toEqual([1, 2]);
  expect(windowOf([7]).next(now - 1)?.sequence).toBe(1);
});

test("first attempts are spaced, retries are not", () => {
  const { window, next } = windowOf([7, 8]);
  const first = next();
  if (first) window.keep(first, { attempts: 1, nextAttemptAt: now + 5 });
  expect([next(now + 5, now + 9)?.sequence, next(now + 5, now + 9)]).toEqual([1, undefined]);
  expect(next(now + 9, now + 9)?.sequence).toBe(2);
});

test("an account with many deliveries does not come before the other accounts each time", () => {
  const { window, next } = windowOf([7, 7, 8, 9]);
  const first = next();
  if (first) window.remove(first);
  expect([next(), next(), next()].map((delivery) => delivery?.sequence)).toEqual([3, 4, 2]);
});

/** Users of permits, in order, of these organizations. */
const usersOf = (organizationIds: readonly number[], isProven = true) =>
  organizationIds.map((organizationId) => ({ organizationId, isProven }));

test("organizations take permits in turn, and so do the webhooks of one", () => {
  const permits = new Permits();
  const users = usersOf([1, 1, 1, 2]);
  for (const user of [...users, ...users]) permits.request(user);
  const taken = [1, 2, 3, 4, 5].map(() => permits.take()?.user);
  const places = new Map<unknown, number>(users.entries().map(([i, user]) => [user, i]));
  expect(taken.map((user) => places.get(user))).toEqual([0, 3, 1, 2, undefined]);
});

test("100 attempts run at once; a released permit is taken again", async () => {
  const permits = new Permits();
  const users = usersOf(Array.from({ length: 101 }, (_, i) => i));
  for (const user of users) permits.request(user);
  const taken = users.map(() => permits.take());
  expect(taken.map((permit) => permit?.user)).toEqual([...users.slice(0, 100), undefined]);
  const ready = permits.ready();
  taken[0]?.release();
  await ready;
  expect(permits.take()?.user).toEqual(users[100]);
});

test("endpoints whose last attempt was no success have at most 50 of the permits", () => {
  const permits = new Permits();
  for (const user of usersOf(
    Array.from({ length: 60 }, (_, i) => i),
    false,
  ))
    permits.request(user);
  const taken = Array.from({ length: 60 }, () => permits.take());
  expect(taken.filter((permit) => permit !== undefined)).toHaveLength(50);
  const [proven] = usersOf([100]);
  if (proven) permits.request(proven);
  expect([permits.take()?.user, permits.take()]).toEqual([proven, undefined]);
  taken[0]?.release();
  expect(permits.take()?.user).toEqual({ organizationId: 50, isProven: false });
});
