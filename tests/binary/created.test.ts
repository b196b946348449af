import { expect, setDefaultTimeout, test } from "bun:test";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { folder, start } from "./binary.ts";
import { logOf } from "./service.ts";

setDefaultTimeout(60_000);

test("A server that makes its database file logs it once, with the path", async () => {
  const cwd = folder();
  const args = ["serve", "--port", "0"];
  const first = await start(args, { cwd });
  await first.stop();
  const file = join(realpathSync(cwd), "data/accountd.db");
  expect(logOf(first)[0]).toEqual({ time: expect.any(String), level: "info", event: "created", file });
  const second = await start(args, { cwd });
  await second.stop();
  expect(logOf(second).map(({ event }) => event)).not.toContain("created");
});
