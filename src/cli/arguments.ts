import { parseArgs } from "node:util";
import { suggestion } from "../core/did-you-mean.ts";
import { UsageError } from "../core/settings/operator-error.ts";
import {
  type Command,
  type CommandGroup,
  type CommandOption,
  type CommandOptions,
  commonOptions,
  type Invocation,
} from "./command.ts";

export const globalOptions: CommandOptions = {
  version: { type: "boolean", short: "v", description: "print the version" },
  man: { type: "boolean", description: "with help: print the manual page" },
};

type OptionToken = {
  name: string;
  rawName: string;
  value?: string | undefined;
  inlineValue?: boolean | undefined;
};
type ParsedArguments = { positionals: string[]; tokens: OptionToken[] };

export function isGroup(entry: Command | CommandGroup): entry is CommandGroup {
  return "commands" in entry;
}

/** The options of several commands. One name has one type in all of them. */
export function allOptions(commands: readonly Command[]): CommandOptions {
  return Object.assign({}, ...commands.map((command) => command.options), commonOptions);
}

/** Whether `--json` is among the arguments, wherever, so that every error can be printed as JSON. */
export function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end === -1 ? args.length : end).includes("--json");
}

/** Splits a command line by the options of all commands, so that options may precede the command's name. */
export function parseArguments(
  entries: readonly (Command | CommandGroup)[],
  args: readonly string[],
): ParsedArguments {
  const commands = entries.flatMap((entry) => (isGroup(entry) ? entry.commands : [entry]));
  const options = allOptions(commands);
  const { positionals, tokens } = parseArgs({
    args: [...args],
    options: { ...globalOptions, ...options },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  return { positionals, tokens: tokens.filter((token) => token.kind === "option") };
}

/**
 * The command or group that the first arguments name, and the arguments after the name.
 * Throws UsageError, with the most similar name, when there is none.
 */
export function findCommand(
  entries: readonly (Command | CommandGroup)[],
  positionals: readonly string[],
): { entry: Command | CommandGroup; rest: string[] } {
  const [name = "", action, ...rest] = positionals;
  const entry = entries.find((candidate) => candidate.name === name);
  if (!entry) {
    const names = entries.map((candidate) => candidate.name);
    throw new UsageError(`accountd has no command ${name}.${suggestion(name, names)}`, "unknown_command");
  }
  if (!isGroup(entry) || action === undefined) return { entry, rest: positionals.slice(1) };
  const command = entry.commands.find((candidate) => candidate.name === `${name} ${action}`);
  if (command) return { entry: command, rest };
  const actions = entry.commands.map((candidate) => candidate.name.slice(name.length + 1));
  const hint = suggestion(action, actions, `${name} `);
  throw new UsageError(`${name} has no command ${action}.${hint}`, "unknown_command");
}

/** The flags by name. Throws UsageError for an option that is not in `options`, or lacks its value. */
export function readFlags(
  name: string,
  options: CommandOptions,
  tokens: readonly OptionToken[],
): Invocation["flags"] {
  const known: CommandOptions = { ...options, ...commonOptions };
  const flags: Invocation["flags"] = {};
  for (const token of tokens) {
    const option = Object.hasOwn(known, token.name) ? known[token.name] : undefined;
    if (!option) {
      const hint = suggestion(token.name, Object.keys(known), "--");
      throw new UsageError(`${name} has no option ${token.rawName}.${hint}`, "unknown_option");
    }
    flags[token.name] =
      option.type === "string" ? joinValues(option, flags[token.name], token) : booleanValue(token);
  }
  return flags;
}

/** The value of an option, which replaces the value that it had before or is joined to it. */
function joinValues(
  { joinedBy }: CommandOption,
  before: string | boolean | undefined,
  token: OptionToken,
): string {
  const value = stringValue(token);
  return before === undefined || joinedBy === undefined ? value : `${before}${joinedBy}${value}`;
}

function stringValue({ rawName, value, inlineValue }: OptionToken): string {
  if (value === undefined) throw new UsageError(`${rawName} needs a value.`);
  if (value.startsWith("-") && !inlineValue)
    throw new UsageError(
      `${rawName} needs a value. One that begins with a dash is written ${rawName}=-VALUE.`,
    );
  return value;
}

function booleanValue({ rawName, value }: OptionToken): boolean {
  if (value !== undefined) throw new UsageError(`${rawName} takes no value.`);
  return true;
}
