import { UsageError } from "../../core/settings/operator-error.ts";
import type { Command, CommandGroup } from "../command.ts";
import { print } from "../output.ts";
import { bashCompletion } from "./bash.ts";
import { shells } from "./command-tree.ts";
import { fishCompletion } from "./fish.ts";
import { zshCompletion } from "./zsh.ts";

const generators = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** `entries` returns all commands, among which this one is. */
export const completionCommand = (entries: () => readonly (Command | CommandGroup)[]): Command => ({
  name: "completion",
  summary: "Print the completion of a shell.",
  usage: shells.join("|"),
  arguments: ["The shell"],
  options: {},
  examples: ["completion bash > /usr/share/bash-completion/completions/accountd"],
  async run({ positionals: [name] }) {
    const shell = shells.find((candidate) => candidate === name);
    if (!shell) throw new UsageError(`The shell must be ${shells.join(", ")}.`);
    print(generators[shell](entries()));
  },
});
