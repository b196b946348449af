import { allOptions, isGroup } from "../arguments.ts";
import { type Command, type CommandGroup, type CommandOption, commonOptions } from "../command.ts";

/** What a command line can have after some words: `path` is the command's name, empty at the beginning. */
type CompletionPlace = {
  path: string;
  words: readonly (readonly [word: string, description: string])[];
  options: readonly (readonly [name: string, option: CommandOption])[];
};

/** Every place, from the declarations of the commands. */
export function completionPlaces(entries: readonly (Command | CommandGroup)[]): CompletionPlace[] {
  const root = entries.map(({ name, summary }) => [name, summary] as const);
  return [
    {
      path: "",
      words: [...root, ["help", "Print the help of a command."]],
      options: Object.entries(commonOptions),
    },
    { path: "help", words: root, options: [] },
    ...entries.flatMap((entry) => {
      if (!isGroup(entry)) return [placeOf(entry)];
      const { name, commands } = entry;
      const words = commands.map(
        (command) => [command.name.slice(name.length + 1), command.summary] as const,
      );
      return [{ path: name, words, options: [] }, ...commands.map(placeOf)];
    }),
  ];
}

function placeOf(command: Command): CompletionPlace {
  const words = command.name === "completion" ? shells.map((shell) => [shell, ""] as const) : [];
  return { path: command.name, words, options: Object.entries({ ...command.options, ...commonOptions }) };
}

export const shells = ["bash", "zsh", "fish"] as const;

/** The options that have a value, and the values where these are words: `on|off`. */
export function valueOptions(entries: readonly (Command | CommandGroup)[]): Map<string, string[]> {
  const commands = entries.flatMap((entry) => (isGroup(entry) ? entry.commands : [entry]));
  return new Map(
    Object.entries(allOptions(commands)).flatMap(([name, { type, value = "" }]) =>
      type === "boolean" ? [] : [[name, /^[a-z|]+$/.test(value) ? value.split("|") : []] as const],
    ),
  );
}
