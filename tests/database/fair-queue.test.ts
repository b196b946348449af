import { describe, expect, test } from "bun:test";
import { FairQueue, type FairQueueOptions } from "../../db/fair-queue.ts";

const unlimited = { maxLength: 1_000 };

/** A queue of items written as organization and number, such as `1a`. */
function filled(items: string, options: FairQueueOptions = unlimited) {
  const queue = new FairQueue<{ organizationId: number; text: string }>(options);
  const rejected = items.split(" ").flatMap((text) => queue.push(itemOf(text))?.text ?? []);
  return { queue, rejected };
}

function itemOf(text: string) {
  return { organizationId: Number(text[0]), text };
}

function texts(items: readonly { text: string }[]): string {
  return items.map(({ text }) => text).join(" ");
}

describe("the order of service", () => {
  test.each([
    ["1a 1b 1c 2a 3a 2b", "1a 2a 3a 1b 2b 1c"],
    ["1a 1b 1c", "1a 1b 1c"],
    ["2a 1a 2b 1b", "2a 1a 2b 1b"],
  ])("of %s is %s", (pushed, taken) => {
    expect(texts(filled(pushed).queue.take(100))).toBe(taken);
  });

  test("takes no time for the places of 10,000 organizations that were served before", () => {
    const queue = new FairQueue<{ organizationId: number }>({ maxLength: 300_000 });
    for (let i = 0; i < 300_000; i += 1) queue.push({ organizationId: i % 10_000 });
    const startedAt = performance.now();
    for (let served = 0; served < 300_000; served += 64)
      expect(queue.take(64)[0]).toEqual({ organizationId: served % 10_000 });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test("skips organizations that are not served, which keep their place", () => {
    const { queue } = filled("1a 2a 1b 3a 2b");
    const next = () => queue.takeNext(({ organizationId }) => organizationId !== 1)?.text;
    expect([next(), next(), next(), next()]).toEqual(["2a", "3a", "2b", undefined]);
    expect(texts(queue.take(100))).toBe("1a 1b");
    expect(queue.length).toBe(0);
  });

  test("skips items that are not served, which keep their place in their organization", () => {
    const { queue } = filled("1a 1b 1c 2a 1d");
    const next = () =>
      queue.takeNext(({ text }, index) => index > 0 && text !== "1b", { canOvertake: true })?.text;
    expect([next(), next(), next()]).toEqual(["1c", "1d", undefined]);
    expect(texts(queue.take(100))).toBe("2a 1a 1b");
    expect(queue.length).toBe(0);
  });

  test("of the others stays when all items of an organization are removed", () => {
    const { queue } = filled("1a 2a 1b 3a 2b");
    expect(texts(queue.takeAllOf({ organizationId: 2 }))).toBe("2a 2b");
    expect(texts(queue.takeAllOf({ organizationId: 4 }))).toBe("");
    expect(queue.length).toBe(3);
    expect(texts(queue.take(100))).toBe("1a 3a 1b");
  });

  test("continues with the next organization, also after items were put back", () => {
    const { queue } = filled("1a 1b 1c 2a 2b 3a");
    expect(texts(queue.take(2))).toBe("1a 2a");
    const taken = queue.take(3);
    expect(texts(taken)).toBe("3a 1b 2b");
    queue.putBack(taken.slice(1));
    queue.push(itemOf("3b"));
    expect(queue.length).toBe(4);
    expect(texts(queue.take(100))).toBe("1b 2b 3b 1c");
    expect(queue.length).toBe(0);
    expect(queue.take(1)).toEqual([]);
  });
});

describe("a full queue", () => {
  test("rejects the last item of the organization with the most items", () => {
    const { queue, rejected } = filled("1a 1b 1c 2a 2b 1d 3a", { maxLength: 4 });
    expect(rejected).toEqual(["1c", "1d", "1b"]);
    expect(texts(queue.take(100))).toBe("1a 2a 3a 2b");
  });

  test("of one organization rejects only its items", () => {
    const { queue, rejected } = filled("1a 1b 1c 2a", { ...unlimited, maxLengthPerOrganization: 2 });
    expect(rejected).toEqual(["1c"]);
    expect(queue.length).toBe(3);
  });
});
