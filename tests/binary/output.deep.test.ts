import { dlopen, FFIType } from "bun:ffi";
import { expect, setDefaultTimeout, test } from "bun:test";
import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";
import { closeAfterTest } from "../support/cleanup.ts";
import { folder, output } from "./binary.ts";
import { binary } from "./build.ts";

setDefaultTimeout(60_000);

const setStatusFlags = 4;

/** Makes the pipe non-blocking for all processes that have it. Bun makes it blocking when it starts a process. */
function makeNonBlocking(descriptor: number): void {
  const int = FFIType.i32;
  const { symbols, close } = dlopen("libc.so.6", { fcntl: { args: [int, int, int], returns: int } });
  const result = symbols.fcntl(descriptor, setStatusFlags, constants.O_NONBLOCK);
  close();
  if (result !== 0) throw new Error(`fcntl failed: ${result}`);
}

test("a non-blocking pipe with a slow reader gets the whole output", async () => {
  const cwd = folder();
  const document = `${await output(["openapi"], { cwd })}\n`;
  expect(document.length).toBeGreaterThan(2 * 65_536);
  const pipe = join(cwd, "pipe");
  Bun.spawnSync(["mkfifo", pipe]);
  const reader = Bun.spawn(["sh", "-c", `sleep 0.5; exec cat "$0"`, pipe], { stdout: "pipe" });
  closeAfterTest(() => {
    reader.kill();
    return reader.exited;
  });
  // Opened for reading, too, because otherwise the call waits until the reader has opened the pipe.
  const stdout = openSync(pipe, constants.O_RDWR);
  const child = Bun.spawn([await binary(), "openapi"], { cwd, stdout, stderr: "pipe" });
  makeNonBlocking(stdout);
  closeSync(stdout);
  const [code, stderr] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(await new Response(reader.stdout).text()).toBe(document);
});
