import { UsageError } from "../core/settings/operator-error.ts";

export type Invocation = {
  /** The arguments that are no flags, without the command's name: all that the command requires. */
  positionals: readonly string[];
  flags: Record<string, string | boolean | undefined>;
};

export type CommandOption = {
  type: "string" | "boolean";
  /** One letter. */
  short?: string;
  /** What the help shows for the value of a string option. */
  value?: string | undefined;
  /** What joins the values of an option that is written several times. Default: the last one counts. */
  joinedBy?: string;
  description: string;
};
export type CommandOptions = Readonly<Record<string, CommandOption>>;

export type Command = {
  /** One word, or two for a command of a group: `keys create`. */
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** The arguments and the options worth showing, as they follow the name. */
  usage: string;
  /** What its arguments are, in messages. Default: it has none. */
  arguments?: readonly string[];
  /** How many of them may be missing. */
  optionalCount?: number;
  /** Its options, without the common ones. */
  options: CommandOptions;
  /** Command lines, each without `accountd`. */
  examples?: readonly string[];
  /** Returns when the command is done. Throws UsageError, or an Error whose message is for a person. */
  run(invocation: Invocation): Promise<void>;
};

/** Commands that share their first word. */
export type CommandGroup = { name: string; summary: string; commands: readonly Command[] };

/** What every command has. */
export const commonOptions: CommandOptions = {
  config: {
    type: "string",
    value: "FILE",
    description: "a TOML file of settings, named as flags without dashes; flags and variables have priority",
  },
  json: { type: "boolean", description: "print JSON, errors included" },
  help: { type: "boolean", short: "h", description: "print this help" },
};

/** Throws UsageError when an argument is missing or empty, or is one too many. */
export function assertArguments(
  { arguments: names = [], optionalCount = 0 }: Pick<Command, "arguments" | "optionalCount">,
  positionals: readonly string[],
): void {
  const missing = names.slice(0, names.length - optionalCount).find((_, i) => !positionals[i]);
  if (missing !== undefined) throw new UsageError(`${missing} is missing.`);
  if (positionals.length > names.length)
    throw new UsageError(`Unexpected argument: ${positionals[names.length]}.`);
}
