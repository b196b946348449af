import { isServerUrl, type Storage } from "../../db/storage.ts";

/** The database that a setting names: a `postgres:` URL, or a path. */
export async function storageOf(database: string): Promise<Storage> {
  // Loaded here, because each engine takes time to load.
  if (isServerUrl(database)) return (await import("../../db/postgres/storage.ts")).postgresStorage(database);
  return (await import("../../db/sqlite/storage.ts")).sqliteStorage(database);
}
