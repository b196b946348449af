import type { Engine } from "../../db/engine.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";

/** Reads a database, also next to a running server, for as long as `work` takes. */
export async function withDatabase<T>(database: string, work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = openDatabase(database, { clock: Date.now });
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}
