import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { folder, output, run, start } from "./binary.ts";

setDefaultTimeout(60_000);

test.each(["[::]", "::", "[::1]", "*", "0.0.0.0"])(
  "HOST=%s means the same address to serve and to health",
  async (host) => {
    const env = { HOST: host };
    const { url } = await start(["serve", "--port", "0"], { env });
    expect(new URL(url).protocol).toBe("http:");
    expect(await output(["health", "--port", new URL(url).port], { env })).toBe("ok");
  },
);

test("A port below 1024 without the privilege and an address of another machine have different errors", async () => {
  const privileged = await run(["serve", "--port", "81"], {
    unprivileged: true,
    cwd: folder({ unprivileged: true }),
  });
  expect([privileged.code, privileged.stderr]).toEqual([
    1,
    "127.0.0.1:81 cannot be bound: permission denied. A port below 1024 needs CAP_NET_BIND_SERVICE. Name another with --port.\n",
  ]);
  const foreign = await run(["serve", "--port", "0", "--host", "203.0.113.1"]);
  expect([foreign.code, foreign.stderr]).toEqual([
    1,
    "203.0.113.1:0 cannot be bound. Name another address with --host.\n",
  ]);
});

test("A host in brackets has them once in the message of a port in use", async () => {
  const { url } = await start(["serve", "--port", "0", "--host", "::1"]);
  const { port } = new URL(url);
  const { stderr } = await run(["serve", "--port", port, "--host", "[::1]"]);
  expect(stderr).toBe(`[::1]:${port} is in use. Name another port with --port.\n`);
});

test("A database or host with a trailing carriage return is refused, and no file is created", async () => {
  const cwd = folder();
  const commands = [["serve", "--port", "0"], ["organizations", "list"], ["migrate"], ["check"]];
  for (const args of commands)
    for (const text of ["x.db\r", '"x.db"', "host=db.internal password=secret"]) {
      const { code, stderr } = await run(args, { cwd, env: { DATABASE_URL: text } });
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^The database .* must be a path/)]);
      expect(stderr).not.toContain("secret");
    }
  const copied = await run(["copy", "--from", "x.db\r", "--to", "y.db"], { cwd });
  expect([copied.code, copied.stderr]).toEqual([2, expect.stringMatching(/^--from must be a path/)]);
  const { code, stderr } = await run(["serve"], { cwd, env: { HOST: "127.0.0.1\r" } });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^--host \(HOST\) must be/)]);
  expect(existsSync(join(cwd, "data"))).toBe(false);
});
