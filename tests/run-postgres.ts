import { availableParallelism } from "node:os";
import { type PostgresServer, startPostgres } from "./support/postgres-server.ts";
import { useMemory } from "./support/temporary-folder.ts";

/** Runs the tests of the contract and of isolation on PostgreSQL: at TEST_POSTGRES_URL, or on a new server. */
const suites = [
  ...["accounts", "contacts", "meetings", "feature-requests", "events", "usage", "last-seen"],
  ...["health-scores", "resources", "changes", "isolation", "lists.test.ts"],
];

let child: Bun.Subprocess | undefined;
let isStopped = false;
// Without a listener, a signal would end this process before the server is removed.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    isStopped = true;
    child?.kill(signal);
  });

async function startServer(): Promise<PostgresServer> {
  try {
    return await startPostgres();
  } catch (error) {
    const [line] = String(error).split("\n");
    console.error(`PostgreSQL cannot start: ${line} Set TEST_POSTGRES_URL to use an existing server.`);
    process.exit(1);
  }
}

useMemory();
const existing = Bun.env.TEST_POSTGRES_URL;
const server = existing ? undefined : await startServer();
try {
  if (!isStopped) {
    child = Bun.spawn(
      [
        ...[process.execPath, "test", `--parallel=${availableParallelism() + 1}`, "--no-isolate"],
        ...["--timeout", "60000", "--path-ignore-patterns", "**/*.serial.test.ts"],
        ...(process.argv.length > 2 ? process.argv.slice(2) : suites.map((suite) => `tests/${suite}`)),
      ],
      {
        env: { ...process.env, TEST_ENGINE: "postgres", TEST_POSTGRES_URL: existing ?? server?.url },
        stdin: "inherit",
        stdout: "inherit",
        stderr: "inherit",
      },
    );
    process.exitCode = await child.exited;
  }
} finally {
  await server?.remove();
}
process.exit(isStopped ? 130 : process.exitCode);
