/**
 * A third of the seeds 1 to `count`, at least 3, of a test with random requests: others on SQLite, on two copies, and on
 * one copy of another engine, so that the full tests run all of them.
 */
export function seedsUpTo(count: number): number[] {
  const engine = Bun.env.TEST_ENGINE ?? "sqlite";
  const remainder = { sqlite: 1, "postgres-copies": 2 }[engine] ?? 0;
  return Array.from({ length: count }, (_, index) => index + 1).filter((seed) => seed % 3 === remainder);
}

/** Every `step`th case from the first one; each of them on the engines of `test:deep`. */
export function someOf<Case>(cases: readonly Case[], step: number): Case[] {
  return cases.filter((_, index) => Bun.env.TEST_ENGINE !== undefined || index % step === 0);
}
