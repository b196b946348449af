import { type Flags, originOf, readDatabase, readServerConfig, variableOfSetting } from "../config.ts";
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
    readServerConfig(flags);
    const rows = await settingRows(flags);
    printList(flags, rows, ["name", "value", "origin", "variable"]);
  },
};

/** The settings of `serve`, their texts, and what sets each. The name of the database has no password. */
export async function settingRows(flags: Flags) {
  const { name: database } = await storageOf(readDatabase(flags));
  const rows = [
    { name: "database", ...originOf("database", database, flags), text: database },
    ...Object.entries(allSettings).map(([name, setting]) => ({
      name,
      ...originOf(name, setting.shownDefault ?? setting.default, flags),
    })),
  ];
  return rows.map(({ name, origin, text }) => ({
    name,
    variable: variableOfSetting(name),
    value: text,
    origin,
  }));
}
