/**
 * Of the seeds 1 to `count`, at least 3, of a test with random requests: the first one in the fast suite. The contract
 * tests on the slow engine and on two copies run each seed once.
 */
export function seedsUpTo(count: number): number[] {
  const seeds = Array.from({ length: count }, (_, index) => index + 1);
  const engine = Bun.env.TEST_ENGINE;
  if (engine === undefined) return seeds.slice(0, 1);
  const remainders = { slow: [0, 1], "postgres-copies": [2] }[engine] ?? [0];
  return seeds.filter((seed) => remainders.includes(seed % 3));
}

/** Every `step`th case from the first one; each of them on the engines of `test:deep`. */
export function someOf<Case>(cases: readonly Case[], step: number): Case[] {
  return cases.filter((_, index) => Bun.env.TEST_ENGINE !== undefined || index % step === 0);
}
