import type { Database } from "bun:sqlite";
import { readdirSync, readlinkSync } from "node:fs";
import { dirname } from "node:path";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { temporaryFile } from "../support/world.ts";

/** The time at which these tests create databases, in milliseconds. */
export const now = 1_000;
export const clock = () => now;

/** A database, closed, with organizations of these names. */
export async function newDatabase(names: string[] = []): Promise<string> {
  const file = temporaryFile("accountd.db");
  const engine = openDatabase(file, { clock, canCreate: true });
  for (const name of names) await createOrganization(engine, name);
  await engine.close();
  return file;
}

/** The first value that a pragma returns. */
export function pragma(client: Database, name: string): unknown {
  return Object.values(client.query<Record<string, unknown>, []>(`PRAGMA ${name}`).get() ?? {})[0];
}

/** The paths of this process's open descriptors in the folder of a file. Other tests run in the same process. */
export function openPathsNextTo(file: string): string[] {
  const folder = dirname(file);
  return readdirSync("/proc/self/fd")
    .flatMap(pathOfDescriptor)
    .filter((path) => path.startsWith(`${folder}/`));
}

/** Empty for a descriptor that is closed by now, such as that of the listing. */
function pathOfDescriptor(descriptor: string): string[] {
  try {
    return [readlinkSync(`/proc/self/fd/${descriptor}`)];
  } catch {
    return [];
  }
}
