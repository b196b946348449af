import { expect, test } from "bun:test";
import { ParseQueue } from "../src/http/parse-queue.ts";

const mebibyte = 1_048_576;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test("one large body of an organization is parsed at once, and two of all; the others wait in order", async () => {
  const queue = new ParseQueue(() => {});
  const begun: string[] = [];
  const begin = (owner: number, name: string) => void queue.begin(owner).then(() => begun.push(name));
  for (const name of "abc") begin(1, name);
  begin(2, "d");
  begin(3, "e");
  await nextTurn();
  expect(begun.join("")).toBe("ad");
  queue.end(2, 0);
  await nextTurn();
  expect(begun.join("")).toBe("ade");
  queue.end(1, 0);
  await nextTurn();
  expect(begun.join("")).toBe("adeb");
  queue.end(3, 0);
  await nextTurn();
  expect(begun.join("")).toBe("adeb");
  queue.end(1, 0);
  await nextTurn();
  expect(begun.join("")).toBe("adebc");
});

test("garbage is collected when large bodies used more than 32 MiB, before the next body is parsed", async () => {
  const events: string[] = [];
  const queue = new ParseQueue(() => events.push("collected"));
  for (const name of ["first", "second", "third"]) void queue.begin(1).then(() => events.push(name));
  await nextTurn();
  queue.end(1, 20 * mebibyte);
  await nextTurn();
  expect(events).toEqual(["first", "second"]);
  queue.end(1, 20 * mebibyte);
  await nextTurn();
  expect(events).toEqual(["first", "second", "collected", "third"]);
  queue.end(1, 20 * mebibyte);
  await nextTurn();
  expect(events).toHaveLength(4);
});
