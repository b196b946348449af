import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { folder, output, run } from "./binary.ts";
import { service } from "./service.ts";

setDefaultTimeout(60_000);

/** Runs a command with `--json` and returns the one object on standard error. */
async function errorOf(args: string[], cwd: string, env: Record<string, string> = {}) {
  const withoutJson = args.filter((word) => word !== "--json");
  const [json, text] = await Promise.all([run(args, { cwd, env }), run(withoutJson, { cwd, env })]);
  expect({ args, stdout: json.stdout }).toEqual({ args, stdout: "" });
  expect(json.stderr).toMatch(/^\{[^\n]*\}\n$/);
  const { error, ...others } = JSON.parse(json.stderr);
  expect(others).toEqual({});
  expect(Object.keys(error)).toEqual(["code", "message"]);
  // The plain text begins with the same message, and the exit code is the same.
  expect(text).toMatchObject({ code: json.code, stdout: "" });
  expect(text.stderr).toStartWith(`${error.message}\n`);
  return { exit: json.code, ...error };
}

test.concurrent("Without a command, --json alone is an error of one object", async () => {
  const { code, stdout, stderr } = await run(["--json"]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(JSON.parse(stderr)).toEqual({
    error: { code: "command_missing", message: "A command is missing." },
  });
});

test.concurrent("Failures have the exit code 1 and a code for each cause", async () => {
  const cwd = folder();
  const missing = await errorOf(["organizations", "list", "--json"], cwd);
  expect(missing).toMatchObject({ exit: 1, code: "database_unusable" });
  await output(["organizations", "create", "Acme"], { cwd });
  for (const [args, code] of [
    [["organizations", "create", "acme"], "name_taken"],
    [["organizations", "create", "12"], "invalid_name"],
    [["keys", "create", "--organization", "Nobody"], "not_found"],
    [["keys", "list", "--organization", "Nobody"], "not_found"],
    [["keys", "revoke", "7"], "not_found"],
    [["health", "--port", String(await freePort())], "not_healthy"],
    [["quickstart", "--port", "0", "--database", "data/accountd.db"], "database_not_empty"],
    [["serve", "--port", "0", "--host", "203.0.113.1"], "address_unavailable"],
  ] as const) {
    const { code: exit, stdout, stderr } = await run([...args, "--json"], { cwd });
    const last = stderr.trimEnd().split("\n").at(-1) ?? "";
    expect({ args, exit, stdout, error: JSON.parse(last).error }).toEqual({
      args,
      exit: 1,
      stdout: "",
      error: { code, message: expect.any(String) },
    });
  }
});

test.concurrent("health without a server says where it looked, and what to do", async () => {
  const port = await freePort();
  expect(await errorOf(["health", "--port", String(port), "--json"], folder())).toEqual({
    exit: 1,
    code: "not_healthy",
    message: `No healthy server answers at http://127.0.0.1:${port}/livez. Start one with accountd serve, or add --port and --host if it listens elsewhere.`,
  });
});

test.concurrent("A port in use and a database in use or of another program have their codes", async () => {
  const { cwd, server } = await service();
  const port = new URL(server.url).port;
  expect(await errorOf(["serve", "--json", "--port", port], folder())).toMatchObject({
    code: "address_in_use",
  });
  expect(await errorOf(["serve", "--json", "--port", "0"], cwd)).toMatchObject({ code: "database_unusable" });
  await Bun.write(join(cwd, "x.txt"), "a text file, not a database\n".repeat(100));
  expect(await errorOf(["check", "--json", "--database", "x.txt"], cwd)).toMatchObject({
    code: "database_unusable",
  });
});
