import { UnusableDatabase } from "../../db/errors.ts";
import { countPending } from "../../db/migration.ts";
import type { Storage } from "../../db/storage.ts";
import { readConnections, readDatabase } from "../config.ts";
import { daysUntilFinal } from "../core/event-limits.ts";
import { UsageError } from "../core/settings/operator-error.ts";
import { dayOf, formatTimestamp } from "../core/timestamps.ts";
import { storageOf } from "../server/storage.ts";
import { withClient } from "./client.ts";
import type { Command } from "./command.ts";
import { type FoundFaults, findAndRepair, findFaults } from "./faults.ts";
import { databaseOption } from "./options.ts";
import { print, printNotice } from "./output.ts";

export const checkCommand: Command = {
  name: "check",
  summary: "Read the whole database and report damage and wrong counts, one line per fault.",
  usage: "[--quick | --repair] [--database FILE]",
  options: {
    quick: { type: "boolean", description: "only look for damaged pages; much faster" },
    repair: {
      type: "boolean",
      description:
        "derive wrong counts, folded texts and scores again from the rows, in small steps, also next to a running server",
    },
    ...databaseOption,
  },
  async run({ flags }) {
    if (flags.quick && flags.repair) throw new UsageError("--quick finds nothing that --repair repairs.");
    const storage = await storageOf(readDatabase(flags), readConnections(flags));
    const { name: database } = storage;
    const firstCompleteDay = dayOf(Date.now()) - daysUntilFinal;
    const notes = new Set<string>();
    const options = { clock: Date.now, firstCompleteDay, onNote: (note: string) => void notes.add(note) };
    const onWait = () => {
      if (!flags.json)
        printNotice("Another accountd check --repair is running. This one waits until it has ended.");
    };
    const { repaired, found } = flags.repair
      ? await withClient(readDatabase(flags), "exclusive", (send) =>
          findAndRepair(storage, send, { ...options, onWait }),
        )
      : {
          repaired: [],
          found: flags.quick
            ? { texts: await storage.check({ ...options, isQuick: true }), derived: [] }
            : await findFaults(storage, options),
        };
    const changes = repaired.map((text) => `repaired: ${text}`);
    const isSound = found.texts.length === 0;
    const pending = isSound ? await readPending(storage) : [];
    const members = {
      ...(flags.repair && { repaired }),
      ...(isSound && notes.size > 0 && { sharedAddresses: [...notes] }),
      ...(pending.length > 0 && { pending }),
      ...(!isSound && { faults: found.texts }),
    };
    if (flags.json) {
      const result = { database, status: isSound ? "ok" : "faulty", ...members };
      print(JSON.stringify(result, null, isSound ? undefined : 2));
    } else if (isSound)
      print([...changes, ...notes, `${database} is sound.`, ...pending.map(describePending)].join("\n"));
    else print([...changes, ...found.texts].join("\n"));
    if (!isSound) throw new UnusableDatabase(`${database} has faults: ${describeFaults(found, flags)}`);
  },
};

/** How many faults there are, and what to do. */
function describeFaults({ texts, derived }: FoundFaults, flags: { repair?: unknown }): string {
  const count = `${texts.length}.`;
  if (derived.length === 0) return `${count} Restore a backup.`;
  if (flags.repair)
    return `${count} ${derived.length} of them could not be derived from other rows now. Run the command again, or restore a backup.`;
  const rest = texts.length > derived.length ? " Restore a backup for the other faults." : "";
  return `${count} accountd check --repair derives ${derived.length} of them from other rows.${rest}`;
}

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
