import { expect, test } from "bun:test";
import { join } from "node:path";
import { withTimeLimit } from "./time-limit.ts";

test("a promise in time has its own value, and a later one that of the limit", async () => {
  expect(await withTimeLimit(10_000, Promise.resolve("value"), "late")).toBe("value");
  expect(await withTimeLimit(1, Promise.withResolvers<string>().promise, "late")).toBe("late");
  expect(withTimeLimit(10_000, Promise.reject(new Error("failed")), "late")).rejects.toThrow("failed");
});

test("a process ends although the limit of a promise is not reached", async () => {
  const module = join(import.meta.dir, "time-limit.ts");
  const child = Bun.spawn(
    [
      process.execPath,
      "-e",
      `import { withTimeLimit } from "${module}"; await withTimeLimit(60_000, Promise.resolve(), "late")`,
    ],
    { timeout: 30_000 },
  );
  expect(await child.exited).toBe(0);
});
