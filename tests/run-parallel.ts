import { buildBinary, builtBinary } from "./binary/build.ts";
import { runWithPostgres } from "./support/test-process.ts";

/** The tests with the most requests that depend on each other, which run on PostgreSQL, too. */
const suitesOfCopies = ["changes", "batch", "idempotency"].map((suite) => `tests/${suite}`);

/**
 * Runs the tests that can run next to each other; then some of them again, on two copies of the service with one
 * PostgreSQL database (`test:deep` runs all tests of the contract there). With arguments, only those files, on SQLite.
 */
const files = process.argv.slice(2);
await runWithPostgres(async (runTests) => {
  const code = await runTests(files, { [builtBinary]: await buildBinary() });
  if (code !== 0 || files.length > 0) return code;
  return runTests(suitesOfCopies, { TEST_ENGINE: "postgres-copies" });
});
