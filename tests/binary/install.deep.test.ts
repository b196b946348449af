import { expect, test } from "bun:test";
import { copyFileSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { folder } from "./binary.ts";

const root = join(import.meta.dir, "../..");
const maxMegabytes = 120;

test("the packages that `start` installs have less than 120 MB", async () => {
  const cwd = folder();
  for (const file of ["package.json", "bun.lock"]) copyFileSync(join(root, file), join(cwd, file));
  const words = ["install", "--frozen-lockfile", "--production", "--ignore-scripts"];
  const child = Bun.spawn([process.execPath, ...words], { cwd, stdout: "ignore", stderr: "ignore" });
  expect(await child.exited).toBe(0);
  const files = readdirSync(join(cwd, "node_modules"), { recursive: true, encoding: "utf8" });
  const bytes = files.reduce((sum, file) => sum + lstatSync(join(cwd, "node_modules", file)).size, 0);
  expect(files.length).toBeGreaterThan(1_000);
  expect(bytes / 1_000_000).toBeLessThan(maxMegabytes);
}, 120_000);
