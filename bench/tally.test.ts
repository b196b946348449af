import { expect, test } from "bun:test";
import { Tally } from "./tally.ts";

const stream = { connections: 1, next: () => "" };

test.each([1, 2, 63, 64, 100, 1_000])(
  "with an initial capacity of %d all 100 latencies are kept",
  (capacity) => {
    const tally = new Tally(stream, 0, capacity);
    for (let n = 1; n <= 100; n++) tally.note(200, n, (n * 37) % 101);
    expect(tally.figures()).toEqual({
      perSecond: 1_000,
      p50: 50,
      p99: 99,
      p999: 100,
      max: 100,
      answered: 100,
      failed: {},
    });
  },
);
