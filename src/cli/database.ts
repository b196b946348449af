import { type Engine, openDatabase } from "../../db/open.ts";
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
  } finally {
    await engine.close();
  }
}
