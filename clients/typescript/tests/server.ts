import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command, killAll, organization, serve } from "../../../tests/support/server.ts";
import { useMemory } from "../../../tests/support/temporary-folder.ts";

useMemory();
const folders: string[] = [];

/** A new folder, removed by `stopServers`. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "accountd-client-"));
  folders.push(folder);
  return folder;
}

/** A server process with an empty organization and a key of it, created with further options. */
export async function startServer(...keyOptions: string[]) {
  const database = join(temporaryFolder(), "accountd.db");
  const defaultKey = await organization(database);
  const words = ["keys", "create", "--organization", "First", "--database", database, ...keyOptions];
  const key = keyOptions.length > 0 ? await command(...words) : defaultKey;
  const { url } = await serve(database);
  return { database, key, server: url };
}

/** Stops every server of a test. */
export async function stopServers(): Promise<void> {
  await killAll();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}
