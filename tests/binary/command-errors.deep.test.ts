import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { folder, output, run, start } from "./binary.ts";
import { binary } from "./build.ts";
import { isOneLine, service } from "./service.ts";

setDefaultTimeout(60_000);

test.concurrent("A command reports that another program has locked the database", async () => {
  const cwd = folder();
  await output(["migrate"], { cwd });
  const otherSettings = new Database(join(cwd, "data/accountd.db"));
  otherSettings.run("BEGIN IMMEDIATE");
  const create = (...more: string[]) => run(["organizations", "create", "Acme", ...more], { cwd });
  const [text, json] = await Promise.all([create(), create("--json")]);
  const message = "The database is locked by another program. Try again when the lock is released.";
  expect(text).toEqual({ code: 1, stdout: "", stderr: `${message}\n` });
  expect({ ...json, stderr: JSON.parse(json.stderr) }).toEqual({
    code: 1,
    stdout: "",
    stderr: { error: { code: "database_busy", message } },
  });
  otherSettings.close();
});

test.concurrent("a PostgreSQL server that cannot be reached: exit 1 and one line without the password", async () => {
  const host = `127.0.0.1:${await freePort()}`;
  for (const hosts of [host, `${host},${host}`])
    for (const words of [["organizations", "list"], ["migrate"], ["serve", "--port", "0"], ["check"]]) {
      const { code, stdout, stderr } = await run([
        ...words,
        ...["--database", `postgres://user:secret@${hosts}/accounts`],
      ]);
      expect({ words, code, stdout }).toEqual({ words, code: 1, stdout: "" });
      expect(stderr).toStartWith(`postgres://user@${hosts}/accounts cannot be used: `);
      expect(stderr).toMatch(/^.*\.\n$/);
      expect(stderr).not.toContain("secret");
    }
});

test.concurrent.each([
  [["organizations", "list"]],
  [["keys", "create", "--organization", "Acme"]],
  [["keys", "list"]],
  [["keys", "revoke", "1"]],
  [["organizations", "delete", "Acme"]],
  [["organizations", "delete", "Acme", "--yes"]],
  [["migrate", "--status"]],
  [["check"]],
])("Without a database, %j fails with one line and creates none", async (words) => {
  const cwd = folder();
  const { code, stdout, stderr } = await run(words, { cwd });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr.trim()).toBe(
    "There is no database at data/accountd.db. Name another with --database or DATABASE_URL.",
  );
  expect(readdirSync(cwd)).toEqual([]);
});

test.each([[["check"]], [["check", "--quick"]]])(
  "%j on a database whose schema is damaged: exit 1 and one line",
  async (words) => {
    const cwd = folder();
    await output(["organizations", "create", "Acme"], { cwd });
    const file = join(cwd, "data/accountd.db");
    const bytes = await Bun.file(file).bytes();
    await Bun.write(file, bytes.fill(0xa5, 3 * 4096));
    const { code, stdout, stderr } = await run(words, { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(isOneLine(stderr), stderr).toBe(true);
  },
);

test("when the reader closes the pipe, the command exits without an error message", async () => {
  const script = `"$0" openapi | head -c 1; exit "\${PIPESTATUS[0]}"`;
  const closed = Bun.spawnSync(["bash", "-c", script, await binary()]);
  expect({ code: closed.exitCode, stderr: closed.stderr.toString() }).toEqual({ code: 1, stderr: "" });
});

test("health ignores the proxy of the environment", async () => {
  const { server } = await service();
  const port = new URL(server.url).port;
  const proxy = `http://127.0.0.1:${await freePort()}`;
  const env = { HTTP_PROXY: proxy, http_proxy: proxy, PORT: port };
  expect(await output(["health"], { env })).toBe("ok");
});

test("Each command reads only its own settings", async () => {
  const cwd = folder();
  const env = {
    PORT: "abc",
    HOST: "",
    EVENT_DAYS: "3",
    CHANGE_DAYS: "0",
    READ_WORKERS: "0",
    MAX_WAITING_BYTES: "2097151",
    LOG_REQUESTS: "maybe",
  };
  await output(["migrate"], { cwd, env });
  await output(["organizations", "create", "Acme"], { cwd, env });
  await output(["organizations", "list"], { cwd, env });
  await output(["keys", "create", "--organization", "Acme"], { cwd, env });
  await output(["keys", "list"], { cwd, env });
  await output(["check"], { cwd, env });
  const port = String(await freePort());
  await start(["serve", "--port", port], { cwd });
  const otherSettings = {
    DATABASE_URL: "postgres://h/d",
    EVENT_DAYS: "3",
    CHANGE_DAYS: "0",
    LOG_REQUESTS: "maybe",
  };
  expect(await output(["health"], { cwd, env: { ...otherSettings, PORT: port } })).toBe("ok");
  await output(["version"], { cwd, env: { ...env, ...otherSettings } });
  await output(["openapi"], { cwd, env: { ...env, ...otherSettings } });
});
