import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { migrations } from "../../db/sqlite/migrations/list.ts";
import manifest from "../../package.json" with { type: "json" };
import { freePort } from "../support/free-port.ts";
import { folder, output, run, start } from "./binary.ts";
import { service } from "./service.ts";

setDefaultTimeout(60_000);

test("accountd help COMMAND shows that command's help", async () => {
  expect(await output(["help", "keys"])).toBe(await output(["keys", "--help"]));
});

test.concurrent("Without a command: the overview on standard error, exit 2", async () => {
  const cwd = folder();
  const { code, stdout, stderr } = await run([], { cwd });
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("accountd");
  expect(readdirSync(cwd)).toEqual([]);
});

test("migrate creates the database; a second run applies no migration", async () => {
  const cwd = folder();
  const first = JSON.parse(await output(["migrate", "--json"], { cwd }));
  expect(first).toEqual({ database: "data/accountd.db", migrated: migrations.length });
  expect(JSON.parse(await output(["migrate", "--json"], { cwd })).migrated).toBe(0);
  expect(await output(["migrate"], { cwd })).toContain("data/accountd.db");
});

test("migrate and migrate --status work next to a running server", async () => {
  const { cwd } = await service();
  const states = JSON.parse(await output(["migrate", "--status", "--json"], { cwd }));
  const names = migrations.map(({ name }) => name);
  expect(names.slice(0, 2)).toEqual(["0001_accounts", "0002_synchronised_lists"]);
  const appliedAt = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(states).toEqual(names.map((name, i) => ({ id: i + 1, name, appliedAt })));
  expect(await output(["migrate", "--status"], { cwd })).toContain("0001_accounts");
  expect(JSON.parse(await output(["migrate", "--json"], { cwd })).migrated).toBe(0);
});

test("check reports ok for an undamaged database, also next to a running server", async () => {
  const { cwd } = await service();
  expect(await output(["check"], { cwd })).toContain("data/accountd.db");
  for (const words of [
    ["check", "--json"],
    ["check", "--quick", "--json"],
  ])
    expect(JSON.parse(await output(words, { cwd }))).toEqual({ database: "data/accountd.db", status: "ok" });
});

test("version prints the version of package.json", async () => {
  expect(await output(["version"])).toBe(manifest.version);
  expect(await output(["--version"])).toBe(manifest.version);
  expect(JSON.parse(await output(["version", "--json"]))).toEqual({ version: manifest.version });
});

test("health prints ok for a running server, on the port of the flag or of PORT", async () => {
  const { server } = await service();
  const port = new URL(server.url).port;
  expect(await output(["health", "--port", port])).toBe("ok");
  expect(await output(["health"], { env: { PORT: port } })).toBe("ok");
  expect(JSON.parse(await output(["health", "--json", "--port", port]))).toEqual({ status: "ok" });
});

test("health waits for a server that is starting", async () => {
  const port = String(await freePort());
  const health = output(["health", "--port", port]);
  await Bun.sleep(300);
  await start(["serve", "--port", port]);
  expect(await health).toBe("ok");
});
