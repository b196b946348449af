import { availableParallelism } from "node:os";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";
import { useMemory } from "./temporary-folder.ts";

/** Tests that assert times. */
const serialFiles = "**/*.serial.test.ts";
/** Long faults and variants of rules that other files test, too. */
export const deepFiles = "**/*.deep.test.ts";

/** The tests of the contract, of isolation and of random requests, which run on every engine. */
export const contractSuites = [
  ...[
    "accounts",
    "contacts",
    "meetings",
    "feature-requests",
    "events",
    "ingest",
    "erasures",
    "usage",
    "last-seen",
  ],
  ...["health-scores", "resources", "changes", "isolation", "jobs/due-jobs.test.ts"],
  ...["webhooks", "deliveries", "delivery", "delivery-retries"].map((name) => `webhooks/${name}.test.ts`),
  ...["attributes", "lists", "batch", "account-batches", "idempotency", "http/dry-run.test.ts"],
  ...["api-keys", "console", "operator/rename.test.ts", "operator/console-link.test.ts"],
  ...["exports", "imports"],
].map((suite) => `tests/${suite}`);

/** Of these, the files that need no engine, or have their own. */
const ofNoEngine = [
  "tests/account-batches/sync.test.ts",
  "tests/events/segment-sdk.deep.test.ts",
  "tests/ingest/*-sdk.test.ts",
  "tests/ingest/*-sdk.deep.test.ts",
  "tests/ingest/cors.test.ts",
  "tests/imports/stdin.test.ts",
  "tests/erasures/files.test.ts",
  serialFiles,
];
/** Tests of jobs with thousands of rows, which only one copy runs. */
export const suitesOfOneCopy = ["attachments.deep", "attachment-retention.deep", "retention"].map(
  (name) => `tests/events/${name}.test.ts`,
);
suitesOfOneCopy.push("tests/changes/long-history.deep.test.ts", "tests/changes/retention.test.ts");
// These replace functions of the engine of one copy.
suitesOfOneCopy.push("tests/erasures/overlapping.test.ts", "tests/usage/ranking.test.ts");

/** Runs test files in several processes; resolves with the exit code. */
export type RunTests = (files: readonly string[], env: Record<string, string>) => Promise<number>;

/**
 * Calls `run` with a PostgreSQL server: that of TEST_POSTGRES_URL, or a new one, which is removed afterwards and on a
 * signal. Exits with the code of `run`, and with 1 where no server can start.
 */
export async function runWithPostgres(run: (runTests: RunTests) => Promise<number>): Promise<never> {
  let child: Bun.Subprocess | undefined;
  let isStopped = false;
  // Without a listener, a signal would end this process before the server is removed.
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      isStopped = true;
      child?.kill(signal);
    });
  useMemory();
  const existing = Bun.env.TEST_POSTGRES_URL;
  const server = existing ? undefined : await startServer();
  let code = 1;
  try {
    code = await run(async (files, env) => {
      if (isStopped) return 130;
      child = Bun.spawn(
        [
          ...[process.execPath, "test", `--parallel=${availableParallelism() + 1}`, "--no-isolate"],
          // Of the concurrent tests of a file, which mostly wait.
          ...["--max-concurrency=6", "--timeout", "60000", ...ignored(files, env.TEST_ENGINE), ...files],
          // The slowest files of the last run begin first.
          ...[`--timings=node_modules/.test-timings-${env.TEST_ENGINE ?? "sqlite"}.json`, "--update-timings"],
        ],
        {
          env: { ...process.env, TEST_POSTGRES_URL: existing ?? server?.url, ...env },
          stdin: "inherit",
          stdout: "inherit",
          stderr: "inherit",
        },
      );
      return child.exited;
    });
  } finally {
    await server?.remove();
  }
  process.exit(isStopped ? 130 : code);
}

/** Files that are named are run, the files of `test:deep`, too. */
function ignored(files: readonly string[], engine: string | undefined): string[] {
  const ofOtherRuns = files.length > 0 ? [serialFiles] : [serialFiles, deepFiles];
  const patterns = engine === undefined ? ofOtherRuns : ofNoEngine;
  const all = engine === "postgres-copies" ? [...patterns, ...suitesOfOneCopy] : patterns;
  return all.flatMap((pattern) => ["--path-ignore-patterns", pattern]);
}

async function startServer(): Promise<PostgresServer> {
  try {
    return await startPostgres();
  } catch (error) {
    const [line] = String(error).split("\n");
    console.error(`PostgreSQL cannot start: ${line} Set TEST_POSTGRES_URL to use an existing server.`);
    process.exit(1);
  }
}
