/**
 * The seeds 1 to `count` of a test with random requests. On each engine but the default one only a third of them: the
 * first ones on two copies, the last ones otherwise.
 */
export function seedsUpTo(count: number): number[] {
  const seeds = Array.from({ length: count }, (_, index) => index + 1);
  const engine = Bun.env.TEST_ENGINE;
  if (!engine) return seeds;
  const third = Math.ceil(count / 3);
  return engine === "postgres-copies" ? seeds.slice(0, third) : seeds.slice(-third);
}
