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

test("The help of serve has the range and the default of the days that data is kept", async () => {
  const text = await output(["serve", "--help"]);
  expect(text).toMatch(/--event-days DAYS .*\(EVENT_DAYS; 35 to 99999, default 35\)/);
  expect(text).toMatch(/--change-days DAYS .*\(CHANGE_DAYS; 1 to 99999, default 400\)/);
  for (const [flag, range] of [
    ["--event-days", "from 35 to 99999"],
    ["--change-days", "from 1 to 99999"],
  ] as const) {
    const { code, stderr } = await run(["serve", flag, "100000"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(range)]);
  }
});

test("The help calls the process a server, and what it records changes", async () => {
  const commands = ["serve", "quickstart", "organizations", "keys", "migrate", "check", "health"];
  for (const words of [[], ...commands.map((command) => [command])])
    expect(await output(["help", ...words])).not.toMatch(/\bservice\b|change log/);
});
