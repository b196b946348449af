import { contractSuites, runWithPostgres } from "./support/test-process.ts";

/** Runs the contract tests, or the files of the arguments, on PostgreSQL: one server, or as TEST_ENGINE says. */
const files = process.argv.slice(2);
const engine = Bun.env.TEST_ENGINE ?? "postgres";
await runWithPostgres((runTests) =>
  runTests(files.length > 0 ? files : contractSuites, { TEST_ENGINE: engine }),
);
