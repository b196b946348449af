import { version } from "../version.ts";
import type { Command } from "./command.ts";
import { print } from "./output.ts";

export const versionCommand: Command = {
  name: "version",
  summary: "Print the version.",
  usage: "",
  options: {},
  async run({ flags }) {
    print(flags.json ? JSON.stringify({ version }) : version);
  },
};
