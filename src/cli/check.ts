import { UnusableDatabase } from "../../db/errors.ts";
import { storageOf } from "../admin/storage.ts";
import { readConnections, readDatabase } from "../config.ts";
import { daysUntilFinal } from "../core/event-limits.ts";
import { dayOf } from "../core/timestamps.ts";
import { type Command, databaseOption, expectArguments } from "./command.ts";
import { print } from "./output.ts";

export const checkCommand: Command = {
  name: "check",
  summary: "Read the whole database and report damage and wrong counts, one line per fault.",
  usage: "[--quick] [--database FILE]",
  options: {
    quick: { type: "boolean", description: "only look for damaged pages; much faster" },
    ...databaseOption,
  },
  async run({ positionals, flags }) {
    expectArguments(positionals, 0);
    const storage = await storageOf(readDatabase(flags), readConnections(flags));
    const { name: database } = storage;
    const firstCompleteDay = dayOf(Date.now()) - daysUntilFinal;
    const faults = await storage.check({ isQuick: flags.quick === true, firstCompleteDay });
    if (faults.length === 0) {
      const sharedAddresses = flags.quick === true ? [] : await storage.sharedAddresses();
      const notes = sharedAddresses.length > 0 && { sharedAddresses };
      if (flags.json) return print(JSON.stringify({ database, status: "ok", ...notes }));
      return print([...sharedAddresses, `${database} is sound.`].join("\n"));
    }
    print(flags.json ? JSON.stringify({ database, status: "faulty", faults }, null, 2) : faults.join("\n"));
    throw new UnusableDatabase(`${database} has faults: ${faults.length}. Restore a backup.`);
  },
};
