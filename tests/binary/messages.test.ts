import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { endAll, folder, output, run } from "./binary.ts";

setDefaultTimeout(60_000);
afterEach(endAll);

test("migrate reports how many migrations it applied", async () => {
  const cwd = folder();
  expect(await output(["migrate"], { cwd })).toMatch(
    /^data\/accountd\.db is up to date: (\d+) of \1 migrations were applied now\.\s*$/,
  );
  expect(await output(["migrate"], { cwd })).toMatch(
    / is up to date: 0 of \d+ migrations were applied now\./,
  );
});

test("a name of digits is rejected with the reason", async () => {
  const { code, stderr } = await run(["organizations", "create", "12"], { cwd: folder() });
  expect([code, stderr]).toEqual([1, "The name consists of digits only, as an id does.\n"]);
});
