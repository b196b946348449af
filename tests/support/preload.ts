import { afterEach, beforeEach } from "bun:test";
import { closeAll } from "./cleanup.ts";
import { buildConsoleOnce } from "./console-files.ts";
import { useMemory } from "./temporary-folder.ts";

useMemory();
buildConsoleOnce();

let runningCount = 0;
beforeEach(() => {
  runningCount += 1;
});
// A cleanup belongs to all tests that run at the time, such as concurrent ones.
afterEach(async () => {
  runningCount -= 1;
  if (runningCount === 0) await closeAll();
});

// `expect(promise).rejects` blocks until any event: without a timer, up to seconds after the promise is settled.
setInterval(() => {}, 5).unref();
