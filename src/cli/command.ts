import { writeSync } from "node:fs";
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { UsageError } from "../config.ts";

export type Invocation = {
  /** The words that are no flags, the command's own name left out. */
  words: string[];
  flags: Record<string, string | boolean | undefined>;
};

export type Command = {
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** What follows `accountd`, a line for each form. */
  usage: string[];
  /** Its own, beside those that every command takes. */
  options: Options;
  /** Returns when the command is done. Throws an Error whose message a person can use. */
  run(invocation: Invocation): Promise<void>;
};
type Option = ParseArgsOptionsConfig[string] & { about: string };
type Options = Record<string, Option>;

/** What every command takes. A command's own options stand before these, and over them. */
const commonOptions: Options = {
  database: { type: "string", about: "FILE of the database (DATABASE_URL; default data/accountd.db)" },
  json: { type: "boolean", about: "print JSON for programs" },
  help: { type: "boolean", short: "h", about: "print this" },
};

/** Reads a command's words and flags. Throws UsageError for a flag that the command does not have. */
export function readArguments(command: Command, given: string[]): Invocation {
  try {
    const options = { ...commonOptions, ...command.options };
    const { values, positionals } = parseArgs({ args: given, options, allowPositionals: true });
    return { words: positionals, flags: values as Invocation["flags"] };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(error.message.split(". ")[0] ?? error.message);
  }
}

/** What `--help` prints. */
export function helpOf({ summary, usage, options }: Command): string {
  const flags = Object.entries({ ...options, ...commonOptions, ...options }).map(([name, option]) => [
    `  --${name}${option.type === "string" ? " …" : ""}`,
    option.about,
  ]);
  const lines = usage.map((line) => `  accountd ${line}`);
  return [summary, "", "Usage:", ...lines, "", "Options:", columns(flags)].join("\n");
}

/** Rows of text, each column as wide as its widest cell. */
export function columns(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => [...(row[i] ?? "")].length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/**
 * Results go to standard output, all else to standard error, by `tell`. Returns when everything is written: of what
 * process.stdout takes, a pipe gets the first 64 KiB before the process ends. Throws when nobody reads any more.
 */
export function print(text: string): void {
  let rest: Uint8Array = Buffer.from(`${text}\n`);
  while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
}

export function printError(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Prints a list: as JSON an array of the objects, for a person a table of them under their names. */
export function printList<T extends Record<string, unknown>>(
  rows: T[],
  names: (keyof T & string)[],
  json: boolean,
): void {
  const cells = rows.map((row) => names.map((name) => (row[name] === null ? "-" : String(row[name]))));
  const table = columns([names.map((name) => name.replace(/[A-Z]/g, " $&").toUpperCase()), ...cells]);
  print(json ? JSON.stringify(rows, null, 2) : table);
}

/** The word at a place, or a UsageError that says what is missing. */
export function requiredArgument(words: string[], place: number, what: string): string {
  const word = words[place];
  if (word === undefined || word === "") throw new UsageError(`${what} is missing.`);
  return word;
}

/** Throws a UsageError when there are more words than a command takes. */
export function expectArguments(words: string[], count: number): void {
  if (words.length > count) throw new UsageError(`There is a word too many: ${words[count]}`);
}
