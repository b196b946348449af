import { originOf, parseDatabase, readServerConfig, variableOfSetting } from "../config.ts";
import { allSettings } from "../core/settings/settings.ts";
import { storageOf } from "../server/storage.ts";
import type { Command } from "./command.ts";
import { printList } from "./output.ts";
import { serverOptions } from "./serve.ts";

export const configCommand: Command = {
  name: "config",
  summary:
    "Print the settings of serve and where each comes from: a flag, a variable, a file or the default.",
  usage: "[--config FILE]",
  options: serverOptions,
  examples: ["config --config /etc/accountd/accountd.toml", "config --json --port 8080"],
  async run({ flags }) {
    // Throws for an invalid setting, as `serve` does.
    const { database } = readServerConfig(flags);
    const rows = [
      { name: "database", ...originOf("database", database, flags) },
      ...Object.entries(allSettings).map(([name, setting]) => ({
        name,
        ...originOf(name, setting.shownDefault ?? setting.default, flags),
      })),
    ].map(({ name, origin, text }) => ({ name, variable: variableOfSetting(name), value: text, origin }));
    const [first] = rows;
    // Its name has no password.
    if (first) first.value = (await storageOf(parseDatabase(database))).name;
    printList(flags, rows, ["name", "value", "origin", "variable"]);
  },
};
