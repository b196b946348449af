import { expect, test } from "bun:test";
import { numberAt, Random, scramble } from "./random.ts";

const count = 20_000;
const times = <T>(make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

/** The number of values in each tenth of [0, 1). */
function tenths(numbers: number[]): number[] {
  const found = new Array<number>(10).fill(0);
  for (const number of numbers) found[Math.floor(number * 10)] = (found[Math.floor(number * 10)] ?? 0) + 1;
  return found;
}

test("the numbers of a seed never change", () => {
  const random = new Random(7);
  expect([
    random.next(),
    random.below(1_000),
    random.of("abcdef".split("")),
    scramble(7),
    numberAt(1, 7),
  ]).toEqual([0.011704753153026104, 61, "f", 415870660, 0.1651706446427852]);
});

test("the same seed gives the same numbers, and another seed gives others", () => {
  const [first, same, second] = [new Random(7), new Random(7), new Random(8)];
  const numbers = times(() => first.next());
  expect(times(() => same.next())).toEqual(numbers);
  expect(times(() => second.next()).filter((number, n) => number === numbers[n])).toEqual([]);
});

test.each<[string, (n: number) => number]>([
  [
    "of a seed",
    (
      (random) => () =>
        random.next()
    )(new Random(1)),
  ],
  ["of a series", (n) => numberAt(1, n)],
  ["of a series, of numbers below zero", (n) => numberAt(1, ~n)],
])("numbers %s are uniformly distributed in [0, 1)", (_, make) => {
  const numbers = times(make);
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  for (const found of tenths(numbers)) expect(Math.abs(found - count / 10)).toBeLessThan(count / 100);
  expect(new Set(numbers).size).toBe(count);
});

test("series do not repeat each other", () => {
  const first = new Set(times((n) => numberAt(1, n)));
  expect(times((n) => numberAt(2, n)).filter((number) => first.has(number)).length).toBeLessThan(5);
});

test("scrambling different numbers gives different numbers", () => {
  expect(new Set(times(scramble)).size).toBe(count);
  expect(times((n) => scramble(-1 - n)).every((number) => number >= 0 && number < 2 ** 32)).toBe(true);
});

test("choosing by rank prefers earlier elements, and chooses every one", () => {
  const random = new Random(3);
  const list = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
  const [even, ranked] = [times(() => random.of(list)), times(() => random.ofRanked(list))].map((chosen) =>
    tenths(chosen.map((number) => number / 10)),
  );
  for (const found of even ?? []) expect(Math.abs(found - count / 10)).toBeLessThan(count / 100);
  expect(ranked).toEqual(ranked?.toSorted((a, b) => b - a) ?? []);
  expect(ranked?.[0]).toBeGreaterThan(count / 4);
  expect(ranked?.[9]).toBeGreaterThan(0);
});

test("nothing is chosen from an empty list", () => {
  expect(() => new Random(1).of([])).toThrow("empty list");
  expect(() => new Random(1).ofRanked([])).toThrow("empty list");
});
