import { isServerUrl } from "../../db/server-url.ts";
import type { ConnectionSettings, Storage } from "../../db/storage.ts";

/** The database that a setting names: a `postgres:` URL, or a path. `connections` are those to a server. */
export async function storageOf(database: string, connections?: ConnectionSettings): Promise<Storage> {
  // Loaded here, because each engine takes time to load.
  if (isServerUrl(database)) {
    const { postgresStorage } = await import("../../db/postgres/storage.ts");
    return postgresStorage(database, connections);
  }
  return (await import("../../db/sqlite/storage.ts")).sqliteStorage(database);
}
