import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { logOf, service } from "./service.ts";

setDefaultTimeout(60_000);

/** The service from its sources, with code that runs the environment's statement at SIGWINCH. */
const program = [
  ...[process.execPath, "--no-env-file", "--preload", join(import.meta.dir, "run-at-signal.ts")],
  join(import.meta.dir, "../../src/main.ts"),
];
const serviceThatRuns = (statement: string) => service({ STATEMENT_AT_SIGWINCH: statement }, program);

test.concurrent.each([
  ["uncaught_exception", 'setTimeout(() => { throw new Error("from a timer"); })', "from a timer"],
  ["uncaught_exception", 'setTimeout(() => { throw "no Error at all"; })', "no Error at all"],
  ["unhandled_rejection", 'Promise.reject(new Error("from a promise"))', "from a promise"],
  ["unhandled_rejection", "Promise.reject(undefined)", "undefined"],
  // An error that is thrown again and again, like a failing COMMIT in every round of the jobs.
  ["uncaught_exception", 'setInterval(() => { throw new Error("again"); }, 1)', "again"],
])("%s is one line of JSON, and the process shuts down with exit 1: %s", async (event, statement, text) => {
  const { server, database, send } = await serviceThatRuns(statement);
  expect((await send("POST", "/api/v1/accounts", { name: "Kept" })).status).toBe(201);
  server.kill("SIGWINCH");
  expect(await server.stop("SIGWINCH")).toBe(1);
  const lines = logOf(server);
  expect(lines.map(({ level, event }) => [level, event])).toEqual([
    ["info", "started"],
    ["error", event],
    ["info", "stopping"],
    ["info", "stopped"],
  ]);
  expect(lines[1].stack).toContain(text);
  expect(lines[2]).toMatchObject({ cause: event });
  // The database was closed: the WAL was checkpointed into the file.
  expect(statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  const file = new Database(database, { readonly: true });
  expect(file.query("SELECT name FROM accounts").all()).toEqual([{ name: "Kept" }]);
  file.close();
});

test.concurrent("An error during the shutdown is logged, and the exit code is 1", async () => {
  const { server } = await serviceThatRuns(
    'process.on("SIGTERM", () => queueMicrotask(() => { throw new Error("late"); })); process.kill(process.pid, "SIGTERM")',
  );
  expect(await server.stop("SIGWINCH")).toBe(1);
  const lines = logOf(server);
  expect(lines.filter(({ level }) => level === "error").map(({ event }) => event)).toEqual([
    "uncaught_exception",
  ]);
  expect(lines.at(-1)).toMatchObject({ event: "stopped" });
});
