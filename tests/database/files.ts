import type { Database } from "bun:sqlite";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { temporaryFile } from "../support/world.ts";

/** The time at which these tests create databases, in milliseconds. */
export const now = 1_000;
export const clock = () => now;

/** A database, closed, with organizations of these names. */
export async function newDatabase(names: string[] = []): Promise<string> {
  const file = temporaryFile("accountd.db");
  const engine = openDatabase(file, { clock, create: true });
  for (const name of names) await createOrganization(engine, name);
  await engine.close();
  return file;
}

/** The first value that a pragma returns. */
export function pragma(client: Database, name: string): unknown {
  return Object.values(client.query<Record<string, unknown>, []>(`PRAGMA ${name}`).get() ?? {})[0];
}
