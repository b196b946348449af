import { errorCode } from "../../db/errors.ts";
import { loadConfigFile } from "../config.ts";
import { describeError, LoggedError, UsageError } from "../core/settings/operator-error.ts";
import {
  allOptions,
  findCommand,
  globalOptions,
  isGroup,
  parseArguments,
  readFlags,
  wantsJson,
} from "./arguments.ts";
import { assertArguments } from "./command.ts";
import { commandHelp, entries, overviewHelp, versionCommand } from "./commands.ts";
import { manualPage } from "./man.ts";
import { print, printError } from "./output.ts";

/** Runs a command line and returns its exit code: 0 done, 1 failed, 2 not understood. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  if (args.length === 0) {
    printError(overviewHelp(entries));
    return 2;
  }
  const { positionals, tokens } = parseArguments(entries, args);
  const isHelp = positionals[0] === "help";
  const words = isHelp ? positionals.slice(1) : positionals;
  let found: string | undefined;
  try {
    if (words.length === 0) {
      const flags = readFlags("accountd", globalOptions, tokens);
      if (flags.version) await versionCommand.run({ positionals: [], flags });
      else if (isHelp && flags.man) print(manualPage(entries));
      else if (flags.help || isHelp) print(overviewHelp(entries));
      else throw new UsageError("A command is missing.", "command_missing");
      return 0;
    }
    found = entries.find(({ name }) => name === words[0])?.name;
    const { entry, rest } = findCommand(entries, words);
    found = entry.name;
    const flags = readFlags(entry.name, isGroup(entry) ? allOptions(entry.commands) : entry.options, tokens);
    if (isHelp || flags.help) print(commandHelp(entry));
    else if (!isGroup(entry)) {
      assertArguments(entry, rest);
      if (typeof flags.config === "string") loadConfigFile(flags.config);
      await entry.run({ positionals: rest, flags });
    } else {
      const actions = entry.commands.map(({ name }) => name.slice(entry.name.length + 1));
      throw new UsageError(`${entry.name} needs a command: ${actions.join(", ")}.`, "command_missing");
    }
    return 0;
  } catch (error) {
    return reportError(error, wantsJson(args), found);
  }
}

/**
 * Prints an error, as one JSON object where the caller asked for JSON, and returns the exit code. `command` is the
 * command or group that the command line names.
 */
function reportError(error: unknown, isJson: boolean, command: string | undefined): number {
  const isUsageError = error instanceof UsageError;
  // EPIPE: the reader of the output closed the pipe.
  const isSilent = error instanceof LoggedError || errorCode(error) === "EPIPE";
  const { code, message } = describeError(error);
  if (isJson && !isSilent) printError(JSON.stringify({ error: { code, message } }));
  // The message of `confirmation_required` says what to add already.
  else if (isUsageError && code !== "confirmation_required") printError(`${message}\n${helpHint(command)}`);
  else if (!isSilent) printError(message);
  return isUsageError ? 2 : 1;
}

function helpHint(command: string | undefined): string {
  return command === undefined
    ? "accountd --help lists the commands."
    : `accountd ${command} --help shows its usage.`;
}
