import { expect, test } from "bun:test";
import { TokenBuckets } from "../../src/http/guard/token-buckets.ts";

function buckets() {
  let now = 1_234.5;
  const all = new TokenBuckets(() => now);
  return {
    take: (name: string | number, perMinute = 600, burst = 200) => all.take(name, perMinute, burst),
    pass(milliseconds: number) {
      now += milliseconds;
    },
  };
}

test("tokens come back evenly, one each minute / limit, up to the burst", () => {
  const { take, pass } = buckets();
  for (let i = 0; i < 200; i += 1) take("a");
  pass(99);
  expect(take("a").isAllowed).toBe(false);
  pass(1);
  expect(take("a")).toMatchObject({ isAllowed: true, remaining: 0 });
  pass(1_000);
  expect(take("a")).toMatchObject({ isAllowed: true, remaining: 9 });
  pass(3_600_000);
  expect(take("a")).toMatchObject({ isAllowed: true, remaining: 199, resetSeconds: 1 });
});

test("rejected requests take no token; in an hour at most limit and burst are allowed", () => {
  const { take, pass } = buckets();
  let allowed = 0;
  for (let second = 0; second < 3_600; second += 1) {
    for (let i = 0; i < 30; i += 1) if (take("a", 60, 200).isAllowed) allowed += 1;
    pass(1_000);
  }
  expect(allowed).toBe(200 + 3_599);
});

test("the time until the next token is in whole seconds, rounded up", () => {
  const { take, pass } = buckets();
  take("a", 1, 1);
  expect(take("a", 1, 1)).toMatchObject({ isAllowed: false, retrySeconds: 60, resetSeconds: 60 });
  pass(58_500);
  expect(take("a", 1, 1).retrySeconds).toBe(2);
  pass(1_499);
  expect(take("a", 1, 1)).toMatchObject({ isAllowed: false, retrySeconds: 1 });
  pass(1);
  expect(take("a", 1, 1).isAllowed).toBe(true);
});

test("of more than 100,000 buckets, the one that was used least recently is full again", () => {
  const { take } = buckets();
  take("first", 1, 1);
  take("second", 1, 2);
  for (let i = 0; i < 99_998; i += 1) take(i, 1, 1);
  expect(take("second", 1, 2).isAllowed).toBe(true);
  take("one more", 1, 1);
  expect(take("second", 1, 2).isAllowed).toBe(false);
  expect(take("first", 1, 1).isAllowed).toBe(true);
});

test("new names are as fast when there are too many buckets", () => {
  const { take } = buckets();
  const startedAt = performance.now();
  for (let i = 0; i < 400_000; i += 1) take(i, 1, 1);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect([take(399_999, 1, 1).isAllowed, take(300_999, 1, 1).isAllowed]).toEqual([false, false]);
  expect(take(299_999, 1, 1).isAllowed).toBe(true);
});

test.each(["__proto__", "constructor", ""])("the name %j is a name as any other", (name) => {
  const { take } = buckets();
  expect([take(name, 1, 1).isAllowed, take(name, 1, 1).isAllowed]).toEqual([true, false]);
});
