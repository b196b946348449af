import { expect, setDefaultTimeout, test } from "bun:test";
import { output, run } from "./binary.ts";

setDefaultTimeout(60_000);

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
