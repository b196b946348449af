import { expect, test } from "bun:test";
import { ParseQueue } from "../../src/http/body/parse-queue.ts";

const mebibyte = 1_048_576;

/** Longer than the pause after a body of 1 MiB. */
const pauseMilliseconds = 50;

/** Requests with their sizes in KiB. `begun` is the names of those that were begun, in this order. */
function requests() {
  const queue = new ParseQueue(() => {});
  const begun: string[] = [];
  return {
    begin: (owner: number, kibibytes: number, name: string) =>
      void queue.begin(owner, kibibytes * 1_024).then(() => begun.push(name)),
    end: (owner: number, kibibytes: number) => queue.end(owner, kibibytes * 1_024, 0),
    begun: async () => {
      await Bun.sleep(pauseMilliseconds);
      return begun.join("");
    },
  };
}

test("bodies of 512 KiB of an organization are parsed at once, or a larger one; the others wait in order", async () => {
  const { begin, end, begun } = requests();
  begin(1, 212, "a");
  begin(1, 300, "b");
  begin(1, 1_024, "c");
  begin(1, 1, "d");
  begin(2, 1_024, "e");
  expect(await begun()).toBe("abe");
  end(1, 300);
  expect(await begun()).toBe("abe");
  end(1, 212);
  expect(await begun()).toBe("abec");
  end(1, 1_024);
  expect(await begun()).toBe("abecd");
});

test("organizations are served in turn, each in the order of its bodies", async () => {
  const { begin, end, begun } = requests();
  for (const name of "abcd") begin(1, 1_024, name);
  for (const name of "efgh") begin(2, 1_024, name);
  begin(3, 20, "i");
  expect(await begun()).toBe("ae");
  for (const [owner, order] of [
    [1, "aeb"],
    [2, "aebf"],
    [1, "aebfi"],
    [2, "aebfic"],
  ] as const) {
    end(owner, 1_024);
    expect(await begun()).toBe(order);
  }
});

test("bodies of 2 MiB of all organizations are parsed at once; the others wait in order", async () => {
  const { begin, end, begun } = requests();
  begin(1, 1_024, "a");
  begin(2, 800, "b");
  begin(3, 300, "c");
  begin(4, 20, "d");
  expect(await begun()).toBe("ab");
  end(1, 1_024);
  expect(await begun()).toBe("abcd");
});

test("garbage is collected when large bodies used more than 16 MiB, before the next body is parsed", async () => {
  const events: string[] = [];
  const queue = new ParseQueue(() => events.push("collected"));
  for (const name of ["first", "second", "third"])
    void queue.begin(1, mebibyte).then(() => events.push(name));
  await Bun.sleep(pauseMilliseconds);
  queue.end(1, mebibyte, 10 * mebibyte);
  await Bun.sleep(pauseMilliseconds);
  expect(events).toEqual(["first", "second"]);
  queue.end(1, mebibyte, 10 * mebibyte);
  await Bun.sleep(pauseMilliseconds);
  expect(events).toEqual(["first", "second", "collected", "third"]);
  queue.end(1, mebibyte, 10 * mebibyte);
  await Bun.sleep(pauseMilliseconds);
  expect(events).toHaveLength(4);
});

test("a body waits after another one of its organization, longer after a larger one", async () => {
  const queue = new ParseQueue(() => {});
  const waitAfter = async (bytes: number) => {
    await queue.begin(1, bytes);
    queue.end(1, bytes, 0);
    const start = performance.now();
    await queue.begin(1, mebibyte);
    queue.end(1, mebibyte, 0);
    const wait = performance.now() - start;
    await Bun.sleep(pauseMilliseconds);
    return wait;
  };
  expect(await waitAfter(mebibyte)).toBeGreaterThan(14);
  expect(await waitAfter(mebibyte / 2)).toBeGreaterThan(6);
});
