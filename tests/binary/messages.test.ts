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

test.each([
  [["keys", "create"], "accountd keys create --help shows its usage."],
  [["keys", "revoke", "x"], "accountd keys revoke --help shows its usage."],
  [["keys", "create", "--nope"], "accountd keys create --help shows its usage."],
  [["keys"], "accountd keys --help shows its usage."],
  [["keys", "nope"], "accountd keys --help shows its usage."],
  [["serve", "now"], "accountd serve --help shows its usage."],
  [["nope"], "accountd --help lists the commands."],
])("The last line of the error of %j names the help of that command", async (args, hint) => {
  const { code, stderr } = await run(args);
  expect([code, stderr.trimEnd().split("\n").at(-1)]).toEqual([2, hint]);
});

test("The confirmation that organizations delete requires is one line, without a hint", async () => {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd });
  const { code, stderr } = await run(["organizations", "delete", "Acme"], { cwd });
  expect([code, stderr]).toEqual([
    2,
    "This deletes organization 1, Acme, with all of its data (accounts: 0, keys: 0), for good. Add --yes to do it.\n",
  ]);
});
