import { expect, test } from "bun:test";
import { ServiceClock } from "../db/clock.ts";

const hour = 3_600_000;
const day = 24 * hour;

/** A clock at 1,000 days, its jumps, and functions that advance or change it. */
function testClock() {
  let wall = 1_000 * day;
  let elapsed = 5.5;
  const jumps: number[] = [];
  const clock = new ServiceClock({
    clock: () => wall,
    elapsed: () => elapsed,
    onJump: (milliseconds) => jumps.push(milliseconds),
  });
  return {
    clock,
    jumps,
    pass(milliseconds: number) {
      wall += milliseconds;
      elapsed += milliseconds;
    },
    jump(milliseconds: number) {
      wall += milliseconds;
    },
    /** The times since the beginning. */
    times: () => [clock.wallTime() - 1_000 * day, clock.retentionTime() - 1_000 * day],
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
  const { clock, times, pass, jump, jumps } = testClock();
  jump(40 * day);
  times();
  pass(4_000);
  jump(-40 * day);
  expect(times()).toEqual([4_000, 4_000]);
  expect(clock.resetCount).toBe(1);
  pass(2 * day);
  expect(times()).toEqual([2 * day + 4_000, 2 * day + 4_000]);
  expect(jumps).toEqual([40 * day, -40 * day]);
});

test("a clock that is set back sets retention back at once", () => {
  const { clock, times, pass, jump } = testClock();
  jump(-40 * day);
  expect(times()).toEqual([-40 * day, -40 * day]);
  expect(clock.resetCount).toBe(1);
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
