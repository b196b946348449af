import { open } from "node:fs/promises";
import { join } from "node:path";
import { StorageFailed } from "../../db/errors.ts";
import { formatTimestamp } from "../core/timestamps.ts";
import { hashIdentifier } from "../erasures/hashes.ts";

/** The name of the log in the folder of the backups. */
export const erasureLogName = "erasures.log";
export type LoggedErasure = { time: string; organizationId: number; hashes: string[] };

/**
 * Returns a function that appends the hashes of the identifiers of an erased person to the log, durably, so that the person can be
 * erased again in a restored backup. It throws StorageFailed.
 */
export function createErasureLog(folder: string, clock: () => number) {
  return async (organizationId: number, identifiers: readonly string[]): Promise<void> => {
    const hashes = identifiers.map((identifier) => hashIdentifier(organizationId, identifier));
    const line: LoggedErasure = {
      time: formatTimestamp(clock()),
      organizationId,
      hashes: [...new Set(hashes)],
    };
    // The line before may lack its end, after a crash or on a full disk.
    await append(join(folder, erasureLogName), `\n${JSON.stringify(line)}\n`);
  };
}

async function append(path: string, text: string): Promise<void> {
  try {
    const file = await open(path, "a", 0o600);
    try {
      await file.appendFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw new StorageFailed(`${path} cannot be written, so that the person is not erased.`, { cause });
  }
}
