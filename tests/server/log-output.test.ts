import { expect, test } from "bun:test";
import { writeBounded } from "../../src/server/log-output.ts";

/** An output whose reader reads a line only when told to. */
function stalledOutput() {
  const written: string[] = [];
  const waiting: (() => void)[] = [];
  return {
    written,
    write(text: string, onWritten: () => void) {
      written.push(text);
      waiting.push(onWritten);
    },
    read: (count = waiting.length) => {
      for (const onWritten of waiting.splice(0, count)) onWritten();
    },
  };
}

test("lines are dropped while too many bytes wait, and counted at once and when the reader continues", () => {
  const output = stalledOutput();
  const dropped: number[] = [];
  let droppedCount = 0;
  const onLineDropped = () => {
    droppedCount += 1;
  };
  const write = writeBounded(output, { onLineDropped, onContinued: (count) => dropped.push(count) }, 10);
  for (const line of ["aaaa", "bbbb", "cccc", "dd", "e"]) write(line);
  expect(output.written).toEqual(["aaaa", "bbbb", "dd"]);
  expect(droppedCount).toBe(2);
  output.read(1);
  expect(dropped).toEqual([]);
  write("ffff");
  output.read();
  expect(dropped).toEqual([2]);
  write("g");
  output.read();
  expect(dropped).toEqual([2]);
  expect(output.written).toEqual(["aaaa", "bbbb", "dd", "ffff", "g"]);
});

test("the size of a line is its bytes in UTF-8", () => {
  const output = stalledOutput();
  const write = writeBounded(output, { onLineDropped() {}, onContinued() {} }, 4);
  write("äö");
  write("x");
  expect(output.written).toEqual(["äö"]);
});
