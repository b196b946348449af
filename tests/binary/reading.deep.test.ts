import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { folder, output, run, start } from "./binary.ts";
import { service } from "./service.ts";

setDefaultTimeout(60_000);

const commands = [
  ["organizations", "list"],
  ["organizations", "delete", "Acme"],
  ["keys", "list"],
  ["migrate", "--status"],
  ["check"],
];

test.each(commands)("%s %s next to a running server leaves its WAL as it is", async (...args) => {
  const { cwd, database, send } = await service();
  expect((await send("POST", "/api/v1/accounts", { name: "In the WAL" })).status).toBe(201);
  const before = statSync(`${database}-wal`).size;
  expect(before).toBeGreaterThan(0);
  const { stdout, stderr } = await run(args, { cwd });
  expect(stdout + stderr).toMatch(/Acme|0009|sound/);
  expect(statSync(`${database}-wal`).size).toBe(before);
});

test("a command that reads a closed database leaves no files next to it", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  const before = readdirSync(join(cwd, "data"));
  for (const args of commands) expect((await run(args, { cwd })).stderr).not.toContain("accountd.db");
  expect(readdirSync(join(cwd, "data"))).toEqual(before);
});

test("a user who must not write the files can list the keys next to a running server", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  const database = join(cwd, "data/accountd.db");
  for (const path of [cwd, join(cwd, "data")]) chmodSync(path, 0o755);
  chmodSync(database, 0o644);
  await start(["serve", "--port", "0"], { cwd });
  await output(["keys", "create", "--organization", "Acme", "--name", "robot"], { cwd });
  expect(await output(["keys", "list"], { cwd, unprivileged: true })).toContain("robot");
  expect(await output(["check"], { cwd, unprivileged: true })).toContain("sound");
});
