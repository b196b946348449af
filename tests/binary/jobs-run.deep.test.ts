import { expect, setDefaultTimeout, test } from "bun:test";
import { folder, run } from "./binary.ts";
import { isOneLine } from "./service.ts";

setDefaultTimeout(60_000);

test("jobs run without a server fails with one line and opens no database", async () => {
  const cwd = folder();
  const { code, stdout, stderr } = await run(["jobs", "run"], { cwd });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(isOneLine(stderr), stderr).toBe(true);
  expect(stderr).toBe("No server of data/accountd.db is running. Start it first.\n");
});
