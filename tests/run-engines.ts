import { contractSuites, runWithPostgres, suitesOfOneCopy } from "./support/test-process.ts";

const isRead = (suite: string) => !/events|last-seen|changes|isolation/.test(suite);

/**
 * The engines that the fast suite does not have, with their tests of the contract: one whose statements wait and whose
 * writes run twice, one with all reads on other threads, and PostgreSQL with two copies of the service, and with one.
 */
const runs: readonly [engine: string, suites: readonly string[]][] = [
  ["slow", contractSuites],
  ["workers", contractSuites.filter(isRead)],
  ["postgres-copies", contractSuites],
  ["postgres", ["tests/isolation", "tests/idempotency", ...suitesOfOneCopy]],
];
await runWithPostgres(async (runTests) => {
  for (const [engine, suites] of runs) {
    const code = await runTests(suites, { TEST_ENGINE: engine });
    if (code !== 0) return code;
  }
  return 0;
});
