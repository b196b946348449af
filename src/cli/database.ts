import type { Reader } from "../../db/engine.ts";
import { storageOf } from "../admin/storage.ts";
import { readConnections } from "../config.ts";

/** Reads a database, also next to a running server, for as long as `work` takes. */
export async function withDatabase<T>(database: string, work: (reader: Reader) => Promise<T>): Promise<T> {
  const storage = await storageOf(database, readConnections({}));
  const reader = await storage.openReader({ clock: Date.now });
  try {
    return await work(reader);
  } finally {
    await reader.close();
  }
}
