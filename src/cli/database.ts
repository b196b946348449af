import type { Reader } from "../../db/engine.ts";
import { openReader } from "../../db/sqlite/engine.ts";

/** Reads a database, also next to a running server, for as long as `work` takes. */
export async function withDatabase<T>(database: string, work: (reader: Reader) => Promise<T>): Promise<T> {
  const reader = openReader(database, { clock: Date.now });
  try {
    return await work(reader);
  } finally {
    reader.close();
  }
}
