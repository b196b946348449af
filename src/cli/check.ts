import { checkDatabase } from "../../db/sqlite/file.ts";
import { readConfig } from "../config.ts";
import { type Command, expectArguments, print } from "./command.ts";

export const checkCommand: Command = {
  name: "check",
  summary: "Reads the whole database for damage.",
  usage: ["check"],
  options: {},
  async run({ words, flags }) {
    expectArguments(words, 0);
    const { database } = readConfig(flags);
    checkDatabase(database);
    print(flags.json ? JSON.stringify({ database, status: "ok" }) : `${database} is sound.`);
  },
};
