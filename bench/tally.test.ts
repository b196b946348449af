import { expect, test } from "bun:test";
import { Tally } from "./tally.ts";

const stream = { connections: 1, next: () => "" };

test.each([1, 2, 63, 64, 100, 1_000])(
  "with room for %d answers to begin with all of 100 are kept",
  (room) => {
    const tally = new Tally(stream, 0, room);
    for (let n = 1; n <= 100; n++) tally.note(200, n, (n * 37) % 101);
    expect(tally.figures()).toEqual({
      perSecond: 1_000,
      p50: 50,
      p99: 99,
      max: 100,
      answered: 100,
      failed: {},
    });
  },
);
