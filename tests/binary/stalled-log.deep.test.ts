import { expect, test } from "bun:test";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { command, organization } from "../support/server.ts";
import { folder } from "./binary.ts";
import { binary } from "./build.ts";
import { sendRequest } from "./service.ts";

test.skipIf(process.platform !== "linux")(
  "a log whose reader stalls takes at most 4 MiB, and the dropped lines are counted",
  async () => {
    const cwd = folder();
    const file = join(cwd, "accountd.db");
    const key = await organization(file);
    const pipe = join(cwd, "log");
    expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
    const reader = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    const port = await freePort();
    const writer = openSync(pipe, constants.O_WRONLY);
    const server = Bun.spawn(
      [await binary(), "serve", "--database", file, "--port", `${port}`, "--log-requests"],
      { stdout: "ignore", stderr: writer },
    );
    closeSync(writer);
    try {
      const url = `http://127.0.0.1:${port}`;
      for (let i = 0; i < 200 && !(await isAlive(url)); i += 1) await Bun.sleep(25);
      // A line has about 200 bytes.
      const send = async () => {
        for (let i = 0; i < 400; i += 1) await sendRequest(url, key, "GET", "/livez");
      };
      for (let i = 0; i < 2; i += 1) await Promise.all(Array.from({ length: 32 }, send));
      let text = textIn(reader);
      expect(text).not.toContain("log_lines_dropped");
      for (let i = 0; i < 500 && !/"log_lines_dropped".*\n/.test(text); i += 1) {
        text += textIn(reader);
        await Bun.sleep(10);
      }
      const lines = text
        .split("\n")
        .slice(1, -1)
        .map((line) => JSON.parse(line));
      const [dropped] = lines.filter(({ event }) => event === "log_lines_dropped");
      expect(dropped.count).toBeGreaterThan(1_000);
      expect(text.length).toBeLessThan(4_500_000);
    } finally {
      server.kill("SIGKILL");
      await server.exited;
      closeSync(reader);
    }
    await command("check", "--database", file);
  },
);

async function isAlive(url: string): Promise<boolean> {
  return fetch(`${url}/livez`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** What can be read now, without waiting. */
function textIn(descriptor: number): string {
  const bytes = Buffer.alloc(1_048_576);
  let text = "";
  for (;;)
    try {
      const count = readSync(descriptor, bytes);
      if (count === 0) return text;
      text += bytes.toString("utf8", 0, count);
    } catch {
      return text;
    }
}
