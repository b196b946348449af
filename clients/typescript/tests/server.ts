import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeAll } from "../../../tests/support/cleanup.ts";
import { command, serve } from "../../../tests/support/server.ts";
import { useMemory } from "../../../tests/support/temporary-folder.ts";

useMemory();
const folders: string[] = [];

/** A new folder, removed by `stopServers`. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "accountd-client-"));
  folders.push(folder);
  return folder;
}

type ServerOptions = { keyOptions?: string[]; options?: string[] };

/** A server process with an empty organization and a key of it, both with further options of the command line. */
export async function startServer({ keyOptions = [], options = [] }: ServerOptions = {}) {
  const database = join(temporaryFolder(), "accountd.db");
  await command("organizations", "create", "First", "--database", database);
  const words = ["--organization", "First", "--database", database, ...keyOptions];
  const key = await command("keys", "create", ...words);
  const { url, process } = await serve(database, "0", ...options);
  return { database, key, server: url, process };
}

/** Stops every server of a test. */
export async function stopServers(): Promise<void> {
  await closeAll();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}
