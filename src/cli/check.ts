import { UnusableDatabase } from "../../db/errors.ts";
import { countPending } from "../../db/migration.ts";
import type { Storage } from "../../db/storage.ts";
import { readConnections, readDatabase } from "../config.ts";
import { daysUntilFinal } from "../core/event-limits.ts";
import { dayOf, formatTimestamp } from "../core/timestamps.ts";
import { storageOf } from "../server/storage.ts";
import { type Command, databaseOption } from "./command.ts";
import { print } from "./output.ts";

export const checkCommand: Command = {
  name: "check",
  summary: "Read the whole database and report damage and wrong counts, one line per fault.",
  usage: "[--quick] [--database FILE]",
  options: {
    quick: { type: "boolean", description: "only look for damaged pages; much faster" },
    ...databaseOption,
  },
  async run({ flags }) {
    const storage = await storageOf(readDatabase(flags), readConnections(flags));
    const { name: database } = storage;
    const firstCompleteDay = dayOf(Date.now()) - daysUntilFinal;
    const sharedAddresses: string[] = [];
    const onNote = (note: string) => sharedAddresses.push(note);
    const faults = await storage.check({ isQuick: flags.quick === true, firstCompleteDay, onNote });
    if (faults.length === 0) {
      const pending = await readPending(storage);
      const members = {
        ...(sharedAddresses.length > 0 && { sharedAddresses }),
        ...(pending.length > 0 && { pending }),
      };
      if (flags.json) return print(JSON.stringify({ database, status: "ok", ...members }));
      return print([...sharedAddresses, `${database} is sound.`, ...pending.map(describePending)].join("\n"));
    }
    print(flags.json ? JSON.stringify({ database, status: "faulty", faults }, null, 2) : faults.join("\n"));
    throw new UnusableDatabase(`${database} has faults: ${faults.length}. Restore a backup.`);
  },
};

type PendingWork = { organizationId: number; kind: "erasure" | "deletion"; since: string };

/** What a server has yet to erase. Empty for a database of an older version. */
async function readPending(storage: Storage): Promise<PendingWork[]> {
  if (countPending(await storage.migrationStates()) > 0) return [];
  // Loaded here, because the schema takes time to load.
  const { listPendingErasures } = await import("../core/file-erasure.ts");
  const reader = await storage.openReader({ clock: Date.now });
  try {
    return (await listPendingErasures(reader)).map(({ organizationId, since, isDeletion }) => ({
      organizationId,
      kind: isDeletion ? "deletion" : "erasure",
      since: formatTimestamp(since),
    }));
  } finally {
    await reader.close();
  }
}

function describePending({ organizationId, kind, since }: PendingWork): string {
  return kind === "deletion"
    ? `Pending since ${since}: the deletion of organization ${organizationId}, or of what its rows left in the file.`
    : `Pending since ${since}: the erasure of what erased rows of organization ${organizationId} left in the file.`;
}
