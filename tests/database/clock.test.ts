import { expect, test } from "bun:test";
import { ServiceClock, TransactionClock } from "../../db/clock.ts";

const hour = 3_600_000;
const day = 24 * hour;

/** A clock at 1,000 days, its jumps, and functions that advance or change it. */
function testClock() {
  let wall = 1_000 * day;
  let elapsed = 5.5;
  const jumps: number[] = [];
  const options = {
    clock: () => wall,
    elapsed: () => elapsed,
    onJump: (milliseconds: number) => void jumps.push(milliseconds),
  };
  const clock = new ServiceClock(options);
  const timesOf = (read: ServiceClock) => [read.wallTime() - 1_000 * day, read.retentionTime() - 1_000 * day];
  return {
    clock,
    jumps,
    /** Another clock on the same ones, which is ahead of that of a server. */
    clockAhead(aheadMilliseconds: number) {
      const ahead = new ServiceClock({ ...options, aheadMilliseconds });
      return { clock: ahead, times: () => timesOf(ahead) };
    },
    pass(milliseconds: number) {
      wall += milliseconds;
      elapsed += milliseconds;
    },
    jump(milliseconds: number) {
      wall += milliseconds;
    },
    /** The times since the beginning. */
    times: () => timesOf(clock),
  };
}

test("without a jump, retention follows the wall clock, also through small steps", () => {
  const { times, pass, jump, jumps } = testClock();
  expect(times()).toEqual([0, 0]);
  pass(40 * day);
  expect(times()).toEqual([40 * day, 40 * day]);
  for (const step of [hour, -hour, 1, -1]) {
    jump(step);
    const [wall, retention] = times();
    expect(retention).toBe(wall as number);
  }
  expect(jumps).toEqual([]);
});

test("a jump ahead is reported once, and retention ignores it for 24 hours", () => {
  const { times, pass, jump, jumps } = testClock();
  jump(40 * day);
  expect(times()).toEqual([40 * day, 0]);
  pass(day - 1);
  expect(times()).toEqual([41 * day - 1, day - 1]);
  expect(jumps).toEqual([40 * day]);
  pass(1);
  expect(times()).toEqual([41 * day, 41 * day]);
  expect(jumps).toEqual([40 * day]);
});

test("a jump ahead that is undone leaves retention as it was, and is reported twice", () => {
  const { times, pass, jump, jumps } = testClock();
  jump(40 * day);
  times();
  pass(4_000);
  jump(-40 * day);
  expect(times()).toEqual([4_000, 4_000]);
  pass(2 * day);
  expect(times()).toEqual([2 * day + 4_000, 2 * day + 4_000]);
  expect(jumps).toEqual([40 * day, -40 * day]);
});

test("a clock that is set back sets retention back at once", () => {
  const { times, pass, jump } = testClock();
  jump(-40 * day);
  expect(times()).toEqual([-40 * day, -40 * day]);
  pass(day);
  expect(times()).toEqual([-39 * day, -39 * day]);
});

test("a second jump begins the 24 hours again, and trust ends them", () => {
  const { clock, times, pass, jump } = testClock();
  jump(2 * hour);
  times();
  pass(day - 1);
  jump(2 * hour);
  expect(times()).toEqual([day - 1 + 4 * hour, day - 1]);
  pass(1);
  expect(times()).toEqual([day + 4 * hour, day]);
  clock.trust();
  expect(times()).toEqual([day + 4 * hour, day + 4 * hour]);
});

test("a clock that is ahead of the server's at the start is a jump of then", () => {
  const { clockAhead, pass, jump } = testClock();
  const { times, clock } = clockAhead(40 * day);
  expect(times()).toEqual([0, -40 * day]);
  pass(day - 1);
  expect(times()).toEqual([day - 1, -39 * day - 1]);
  jump(-40 * day);
  expect(times()).toEqual([-39 * day - 1, -39 * day - 1]);
  jump(40 * day);
  clock.trust();
  expect(times()).toEqual([day - 1, day - 1]);
  expect(clockAhead(hour).times()).toEqual([day - 1, day - 1]);
  const waiting = clockAhead(40 * day);
  pass(day);
  expect(waiting.times()).toEqual([2 * day - 1, 2 * day - 1]);
});

test("a transaction that ends after the clock was set back does not move the time ahead again", () => {
  let now = 100 * 86_400_000;
  const service = new ServiceClock({ clock: () => now, elapsed: () => 0 });
  const transactions = new TransactionClock(service);
  const begunAt = transactions.now();
  now = 0;
  expect(transactions.now()).toBe(0);
  transactions.keep(begunAt);
  expect(transactions.now()).toBe(0);
  transactions.keep(5);
  expect(transactions.now()).toBe(5);
});
