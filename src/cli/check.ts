import { checkDatabase } from "../../db/sqlite/file.ts";
import { readDatabase } from "../config.ts";
import { type Command, databaseOption, expectArguments } from "./command.ts";
import { print } from "./output.ts";

export const checkCommand: Command = {
  name: "check",
  summary: "Read the whole database and report damage.",
  usage: "[--database FILE]",
  options: databaseOption,
  async run({ positionals, flags }) {
    expectArguments(positionals, 0);
    const database = readDatabase(flags);
    checkDatabase(database);
    print(flags.json ? JSON.stringify({ database, status: "ok" }) : `${database} is sound.`);
  },
};
