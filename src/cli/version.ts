import { version } from "../version.ts";
import { type Command, expectArguments, print } from "./command.ts";

export const versionCommand: Command = {
  name: "version",
  summary: "Prints the version.",
  usage: ["version"],
  options: {},
  async run({ words, flags }) {
    expectArguments(words, 0);
    print(flags.json ? JSON.stringify({ version }) : version);
  },
};
