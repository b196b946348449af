import { buildBinary, builtBinary } from "./binary/build.ts";
import { contractSuites, deepFiles, runWithPostgres, suitesOfOneCopy } from "./support/test-process.ts";

/**
 * What is run before a release, and before an issue that touches its subject is called resolved: the files
 * `*.deep.test.ts`, the deep suites of the console, the tests of the contract on the engines that the fast suite does
 * not have, the long proofs with their controls, mutation tests, and the generators of clients. With names, only these stages. Prints the seconds
 * of each stage.
 */
const one = ["tests/isolation", "tests/idempotency", ...suitesOfOneCopy];
const engines = { slow: contractSuites, "postgres-copies": contractSuites, postgres: one };
/** With every filter in every order, and every form of every pair of filters, of which the fast tests have one. */
const statementTests = [
  "tests/database/statements.test.ts",
  "tests/database/plans.test.ts",
  "tests/postgres/statements.test.ts",
];
const files = [...new Bun.Glob(`tests/${deepFiles}`).scanSync()].toSorted();
const scripts = {
  console: ["tests/browser/run.ts", "--deep"],
  proofs: ["tests/run-proofs.ts", "--long"],
  mutants: ["tests/mutants/run.ts"],
  generators: ["tests/generators/run.ts"],
};
const chosen = process.argv.slice(2);
const seconds: string[] = [];

await runWithPostgres(async (runTests) => {
  let failed = 0;
  async function stage(name: string, run: () => Promise<number>): Promise<void> {
    if (chosen.length > 0 && !chosen.includes(name)) return;
    const startedAt = performance.now();
    const code = await run();
    if (code !== 0) failed = code;
    const duration = `${((performance.now() - startedAt) / 1000).toFixed(0)} s`;
    seconds.push(`${name}: ${duration}${code === 0 ? "" : ", failed"}`);
    console.log(`deep: ${seconds.join("; ")}`);
  }
  await stage("files", async () => runTests(files, { [builtBinary]: await buildBinary() }));
  for (const [engine, suites] of Object.entries(engines))
    await stage(engine, () => runTests(suites, { TEST_ENGINE: engine }));
  await stage("statements", () => runTests(statementTests, { TEST_STATEMENTS: "all" }));
  for (const [name, words] of Object.entries(scripts))
    await stage(
      name,
      () => Bun.spawn([process.execPath, ...words], { stdio: ["ignore", "inherit", "inherit"] }).exited,
    );
  return failed;
});
