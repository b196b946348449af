import { afterEach, expect, spyOn, test } from "bun:test";
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { commandHelp } from "../../src/cli/commands.ts";
import { runCommandLine } from "../../src/cli/run.ts";
import { serveCommand } from "../../src/cli/serve.ts";
import { temporaryFile } from "../support/world.ts";

const startFolder = process.cwd();
afterEach(() => process.chdir(startFolder));

/** Runs a command line in an empty folder; returns the exit code and the text on standard error. */
async function run(words: string[]): Promise<{ code: number; stderr: string }> {
  process.chdir(dirname(temporaryFile("unused")));
  let stderr = "";
  using _ = spyOn(process.stderr, "write").mockImplementation((text) => {
    stderr += text;
    return true;
  });
  const code = await runCommandLine(words);
  expect(readdirSync(".")).toEqual([]);
  return { code, stderr };
}

test.each([
  ["unknown_command", ["nope"]],
  ["unknown_command", ["organizations", "nope"]],
  ["command_missing", ["keys"], /create, list, rename, revoke/],
  ["command_missing", ["organizations"]],
  ["unknown_option", ["--nope"], /--nope/],
  ["unknown_option", ["check", "--nope"], /--nope/],
  ["unknown_option", ["version", "--nope"]],
  ["unknown_option", ["organizations", "create", "A", "--yes"]],
  ["usage_error", ["serve", "--port"], /--port needs a value/],
  ["usage_error", ["keys", "create", "--organization"]],
  ["usage_error", ["serve", "now"]],
  ["usage_error", ["quickstart", "now"]],
  ["usage_error", ["organizations", "create"], /NAME/],
  ["usage_error", ["organizations", "create", "A", "B"]],
  ["usage_error", ["organizations", "list", "A"]],
  ["usage_error", ["organizations", "delete"]],
  ["usage_error", ["organizations", "delete", "A", "B", "--yes"]],
  ["usage_error", ["keys", "create"]],
  ["usage_error", ["keys", "create", "A", "--organization", "A"]],
  ["usage_error", ["keys", "list", "A"]],
  ["usage_error", ["keys", "revoke"]],
  ["usage_error", ["keys", "revoke", "abc"]],
  ["usage_error", ["keys", "revoke", "1", "2"]],
  ["usage_error", ["migrate", "now"]],
  ["usage_error", ["check", "now"], /now/],
  ["usage_error", ["health", "now"]],
  ["usage_error", ["openapi", "now"]],
  ["usage_error", ["version", "now"]],
  ["usage_error", ["export", "--resource", "event"], /Did you mean events\?/],
  ["usage_error", ["export", "--resource", "events", "--format", "csv"], /--format of events must be jsonl/],
  ["usage_error", ["export", "--organization", "A", "--formulas", "no"], /--formulas must be escape or keep/],
  ["usage_error", ["export", "--format", "jsonl", "--bom"], /need --format csv/],
  ["usage_error", ["import", "file.jsonl", "--resource", "events"], /--resource must be/],
  [
    "usage_error",
    ["import", "file.csv", "--organization", "A", "--encoding", "latin9"],
    /--encoding must be utf-8, windows-1252/,
  ],
  ["usage_error", ["organizations", "create", ""]],
  ["usage_error", ["keys", "create", "--organization", ""]],
  ["invalid_setting", ["serve", "--port", "abc"], /PORT/],
  ["invalid_setting", ["serve", "--port", "65536"]],
  ["invalid_setting", ["serve", "--database", ""]],
  ["invalid_setting", ["serve", "--change-days", "0"]],
  ["invalid_setting", ["health", "--host", ""]],
  ["invalid_setting", ["check", "--database", ":memory:"], /DATABASE_URL/],
  ["invalid_setting", ["organizations", "list", "--database", "mysql://user:secret@127.0.0.1/accounts"]],
] as [code: string, words: string[], message?: RegExp][])(
  "%s, exit 2 and no file: %j; with --json an object on standard error",
  async (code, words, message = /\S/) => {
    const [json, text] = [await run(["--json", ...words]), await run(words)];
    expect([json.code, text.code]).toEqual([2, 2]);
    expect(json.stderr).toMatch(/^\{[^\n]*\}\n$/);
    const { error, ...others } = JSON.parse(json.stderr);
    expect(others).toEqual({});
    expect(error).toEqual({ code, message: expect.stringMatching(message) });
    expect(text.stderr).toStartWith(`${error.message}\n`);
    expect(text.stderr).not.toMatch(/^\s+at |Error:|secret/m);
  },
);

const createKey = ["keys", "create", "--organization", "Acme"];
const days = (range: string) => new RegExp(`from ${range} to 99999`);
test.each([
  [
    "--rate-limit",
    ["0", "x", "1.5", "1000001", ""],
    createKey,
    /number of requests per minute from 1 to 1000000/,
  ],
  [
    "--scope",
    ["", "all", "read;write", "read,", "READ", "read write"],
    createKey,
    /a comma list of read, write, events, admin/,
  ],
  ["--event-days", ["100000", "34"], ["serve"], days("35")],
  ["--change-days", ["100000", "0"], ["serve"], days("1")],
])("the values of %s: %j are rejected", async (flag, values, words, message) => {
  for (const value of values)
    expect([value, await run([...words, `${flag}=${value}`])]).toEqual([
      value,
      { code: 2, stderr: expect.stringMatching(message) },
    ]);
});

test.each([
  [["keys", "create"], "accountd keys create --help shows its usage."],
  [["keys", "revoke", "x"], "accountd keys revoke --help shows its usage."],
  [["keys", "create", "--nope"], "accountd keys create --help shows its usage."],
  [["keys"], "accountd keys --help shows its usage."],
  [["keys", "nope"], "accountd keys --help shows its usage."],
  [["serve", "now"], "accountd serve --help shows its usage."],
  [["nope"], "accountd --help lists the commands."],
])("The last line of the error of %j names the help of that command", async (words, hint) => {
  expect((await run(words)).stderr.trimEnd().split("\n").at(-1)).toBe(hint);
});

test("The help of serve has the range and the default of the days that data is kept", () => {
  const text = commandHelp(serveCommand);
  expect(text).toMatch(/--event-days DAYS .*\(EVENT_DAYS; 35 to 99999, default 35\)/);
  expect(text).toMatch(/--change-days DAYS .*\(CHANGE_DAYS; 1 to 99999, default 400\)/);
});
