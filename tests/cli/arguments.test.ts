import { expect, test } from "bun:test";
import { join } from "node:path";
import { findCommand, isGroup, parseArguments, readFlags, wantsJson } from "../../src/cli/arguments.ts";
import { commonOptions } from "../../src/cli/command.ts";
import { commandHelp, entries, overviewHelp } from "../../src/cli/commands.ts";
import {
  operatorErrorCodes,
  type UsageError,
  usageErrorCodes,
} from "../../src/core/settings/operator-error.ts";

const commands = entries.flatMap((entry) => (isGroup(entry) ? entry.commands : [entry]));

/** Resolves a command line as the program does, up to the command's name, arguments and flags. */
function resolve(line: string[]) {
  const { positionals, tokens } = parseArguments(entries, line);
  const { entry, rest } = findCommand(entries, positionals);
  if (isGroup(entry)) return { name: entry.name };
  return { name: entry.name, positionals: rest, flags: readFlags(entry.name, entry.options, tokens) };
}

function errorOf(line: string[]): { code: string; message: string } {
  try {
    resolve(line);
  } catch (error) {
    // Safe: every error of a command line is a UsageError; another one has no such code.
    const { code, message } = error as UsageError;
    return { code, message };
  }
  throw new Error(`understood: ${line.join(" ")}`);
}

test.each([
  [["serve"], "serve", [], {}],
  [["serve", "--port", "1"], "serve", [], { port: "1" }],
  [["--port", "1", "serve", "--json"], "serve", [], { port: "1", json: true }],
  [["--json", "check", "--database=x.db"], "check", [], { json: true, database: "x.db" }],
  [["keys", "revoke", "7"], "keys revoke", ["7"], {}],
  [["keys", "--organization", "Acme", "create"], "keys create", [], { organization: "Acme" }],
  [["--organization", "Acme", "keys", "create"], "keys create", [], { organization: "Acme" }],
  [["keys", "create", "--organization=-Acme"], "keys create", [], { organization: "-Acme" }],
  [["keys", "create", "--name", ""], "keys create", [], { name: "" }],
  [["organizations", "create", "--", "--odd"], "organizations create", ["--odd"], {}],
  [["check", "-h"], "check", [], { help: true }],
  [["check", "--database", "a", "--database", "b"], "check", [], { database: "b" }],
  [["import", "a", "--map", "A=b", "--map=C=d"], "import", ["a"], { map: "A=b,C=d" }],
  [["import", "a", "--values", "A: b=c", "--values=D: e=f"], "import", ["a"], { values: "A: b=c;D: e=f" }],
])("%j is parsed", (line, name, positionals, flags) => {
  expect(resolve(line)).toEqual({ name, positionals, flags });
});

test("A group without a command is found as the group", () => {
  expect(resolve(["keys"])).toEqual({ name: "keys" });
});

test.each([
  [["srve"], "accountd has no command srve. Did you mean serve?"],
  [["Serve"], "accountd has no command Serve. Did you mean serve?"],
  [["org", "list"], "accountd has no command org. Did you mean organizations?"],
  [["key", "list"], "accountd has no command key. Did you mean keys?"],
  [["deploy"], "accountd has no command deploy."],
  [["keys", "lst"], "keys has no command lst. Did you mean keys list?"],
  [["keys", "revok", "1"], "keys has no command revok. Did you mean keys revoke?"],
  [["organizations", "lsit"], "organizations has no command lsit. Did you mean organizations list?"],
  [["keys", "rotate-all"], "keys has no command rotate-all."],
  [["constructor"], "accountd has no command constructor."],
])("%j is an unknown command", (line, message) => {
  expect(errorOf(line)).toEqual({ code: "unknown_command", message });
});

test.each([
  [["serve", "--prot", "1"], "serve has no option --prot. Did you mean --port?"],
  [["serve", "--logrequests"], "serve has no option --logrequests. Did you mean --log-requests?"],
  [["serve", "--event_days=40"], "serve has no option --event_days. Did you mean --event-days?"],
  [["keys", "create", "--org", "A"], "keys create has no option --org. Did you mean --organization?"],
  [["check", "--jsn"], "check has no option --jsn. Did you mean --json?"],
  [["check", "--databse=x"], "check has no option --databse. Did you mean --database?"],
  [["check", "--port", "1"], "check has no option --port."],
  [["health", "--database", "x"], "health has no option --database."],
  [["keys", "revoke", "1", "--expires", "1d"], "keys revoke has no option --expires."],
  [["serve", "-x"], "serve has no option -x."],
  [["serve", "-hx"], "serve has no option -x."],
  [["serve", "--version"], "serve has no option --version."],
  [["serve", "--__proto__"], "serve has no option --__proto__."],
  [["serve", "--constructor=1"], "serve has no option --constructor."],
])("%j has an unknown option", (line, message) => {
  expect(errorOf(line)).toEqual({ code: "unknown_option", message });
});

test.each([
  [["serve", "--port"], "--port needs a value."],
  [
    ["serve", "--port", "--json"],
    "--port needs a value. One that begins with a dash is written --port=-VALUE.",
  ],
  [["check", "--json=yes"], "--json takes no value."],
  [["check", "--help=yes"], "--help takes no value."],
])("%j lacks a value, or has one too many", (line, message) => {
  expect(errorOf(line)).toEqual({ code: "usage_error", message });
});

test.each([
  [["check", "--json"], true],
  [["--json", "nope"], true],
  [["keys", "--nope", "--json", "x"], true],
  [["serve", "--port", "--json"], true],
  [["organizations", "create", "--", "--json"], false],
  [["check"], false],
  [["check", "--json=yes"], false],
  [[], false],
])("Whether %j requests JSON: %p", (line, isJson) => {
  expect(wantsJson(line)).toBe(isJson);
});

test("An option name has one type in all commands, so that a line can be split before its command is found", () => {
  const types = new Map(Object.entries(commonOptions).map(([name, { type }]) => [name, type]));
  for (const command of commands) {
    for (const [name, { type }] of Object.entries(command.options)) {
      expect([name, types.get(name) ?? type]).toEqual([name, type]);
      types.set(name, type);
    }
  }
  expect(types.size).toBeGreaterThan(8);
});

test("The help of each command lists its options, with the placeholder of each value, and no others", () => {
  for (const command of commands) {
    const lines = commandHelp(command).split("\n");
    const options = lines.slice(lines.indexOf("Options:") + 1).filter((line) => line.startsWith("  --"));
    const names = options.map((line) => /^ {2}--([\w-]+)/.exec(line)?.[1] ?? "");
    expect([command.name, names.sort()]).toEqual([
      command.name,
      [...Object.keys(command.options), ...Object.keys(commonOptions)].sort(),
    ]);
    for (const [name, option] of Object.entries(command.options))
      expect(option.type === "string", name).toBe(option.value !== undefined);
  }
});

test("Commands without a database, or without a server, do not offer their options", () => {
  const optionsOf = (name: string) =>
    Object.keys(commands.find((command) => command.name === name)?.options ?? { none: true });
  expect(optionsOf("health").sort()).toEqual(["host", "port"]);
  expect(optionsOf("openapi")).toEqual(["server", "tag", "operations"]);
  expect(optionsOf("version")).toEqual([]);
  expect(optionsOf("check").sort()).toEqual(["database", "quick", "repair"]);
});

test("Every example of the help is a valid command line", () => {
  const examples = commands.flatMap((command) => command.examples ?? []);
  expect(examples.length).toBeGreaterThan(2);
  for (const example of examples) {
    const words = example.replace(/ >.*$/, "").match(/"[^"]*"|\S+/g) ?? [];
    expect(resolve(words.map((word) => word.replaceAll('"', ""))).name.length, example).toBeGreaterThan(0);
  }
});

test("The overview lists every command, --help, --version, --json and where the documentation is", () => {
  const text = overviewHelp(entries);
  for (const { name, summary } of entries)
    expect(text).toMatch(new RegExp(`^  ${name} +${summary.slice(0, 20)}`, "m"));
  for (const part of ["--help", "--version", "--json", "/docs", "/docs/guides/operations"])
    expect(text).toContain(part);
});

test("docs/operations.md lists every code of an error, with its exit code", async () => {
  const text = await Bun.file(join(import.meta.dir, "../../docs/operations.md")).text();
  const listed = [...text.matchAll(/^\| ([12]) \| `(\w+)` \|/gm)].map(([, exit, code]) => [exit, code]);
  const codes = [
    ...usageErrorCodes.map((code) => ["2", code]),
    ...operatorErrorCodes.map((code) => ["1", code]),
  ];
  expect(listed.sort()).toEqual(codes.sort());
});
