import type { Database } from "bun:sqlite";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { temporaryFile } from "../support/world.ts";

/** The moment at which these tests make databases, in milliseconds. */
export const now = 1_000;

/** A database, closed, that holds organizations of these names. */
export async function newDatabase(names: string[] = []): Promise<string> {
  const file = temporaryFile("accountd.db");
  const store = openDatabase(file, { now, create: true });
  for (const name of names) await createOrganization(store, name, now);
  await store.close();
  return file;
}

/** The first value that a pragma answers. */
export function pragma(client: Database, name: string): unknown {
  return Object.values(client.query<Record<string, unknown>, []>(`PRAGMA ${name}`).get() ?? {})[0];
}
