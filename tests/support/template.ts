import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "../../db/engine.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { scopes } from "../../src/core/tenant/scopes.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { storeKey } from "./keys.ts";

type Organization = { id: number; key: string };
/** The bytes of a database file, and the two organizations in it. */
type Template = { bytes: Uint8Array; first: Organization; second: Organization };

let made: Promise<Template> | undefined;

/** A new database with two organizations. Built once per process, because copying a file is faster than migrating it. */
export function template(now: number): Promise<Template> {
  made ??= makeTemplate(now);
  return made;
}

/** The key has every scope. */
export async function createOrganizationWithKey(engine: Engine, name: string): Promise<Organization> {
  const { id } = await createOrganization(engine, name);
  const { secret } = await storeKey(engine, { organizationId: id, name: "test", expiresAt: null, scopes });
  return { id, key: secret };
}

async function makeTemplate(now: number): Promise<Template> {
  const folder = mkdtempSync(join(tmpdir(), "accountd-"));
  const file = join(folder, "accountd.db");
  try {
    const engine = openDatabase(file, { clock: () => now, canCreate: true });
    const first = await createOrganizationWithKey(engine, "First");
    const second = await createOrganizationWithKey(engine, "Second");
    await engine.close();
    return { bytes: readFileSync(file), first, second };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
