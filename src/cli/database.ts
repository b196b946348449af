import { isBusy } from "../../db/errors.ts";
import { type Engine, openDatabase } from "../../db/sqlite/engine.ts";
import { readConfig } from "../config.ts";
import type { Invocation } from "./command.ts";

/** Opens the database that the flags name, beside a running server if there is one, for as long as `work` takes. */
export async function withDatabase<T>(
  { flags }: Invocation,
  options: { create: boolean },
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const engine = openDatabase(readConfig(flags).database, { now: Date.now(), ...options });
  try {
    return await work(engine);
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new Error("Another program holds the database's lock. Try again when it has let it go.");
  } finally {
    await engine.close();
  }
}
