import { version } from "../version.ts";
import { type Command, expectArguments } from "./command.ts";
import { print } from "./output.ts";

export const versionCommand: Command = {
  name: "version",
  summary: "Print the version.",
  usage: "",
  options: {},
  async run({ positionals, flags }) {
    expectArguments(positionals, 0);
    print(flags.json ? JSON.stringify({ version }) : version);
  },
};
