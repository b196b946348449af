import { Database } from "bun:sqlite";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "../../db/engine.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { scopes } from "../../src/core/tenant/scopes.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { storeKey } from "../support/keys.ts";
import { beginning } from "../support/world.ts";
import type { Actor } from "./model-log.ts";

/** The number of pairs of organizations in a database, one pair for each sequence. Creating a service is slow. */
export const pairs = 50;

export type Organization = { id: number; secret: string; actor: Actor };

/** The database of one service. `close` removes it. */
export type ModelDatabase = {
  /** Opens an engine for each copy of the service. */
  openEngines: (clock: () => number) => readonly Engine[];
  /** The request ids in the change log of an organization, in order. */
  requestIds: (organizationId: number) => Promise<string[]>;
  /** The ids of the rows that a request created, by resource. Absent if ids are consecutive. */
  createdIds?: (organizationId: number, requestId: string) => Promise<[resource: string, id: number][]>;
  close: () => Promise<void>;
};

/** A database of organizations, to be copied for each service. */
export type ModelGround = {
  organizations: readonly Organization[];
  copy: () => Promise<ModelDatabase>;
  close: () => Promise<void>;
};

/** SQLite files in a folder that is removed by `close`. */
export async function sqliteGround(): Promise<ModelGround> {
  const folder = mkdtempSync(join(tmpdir(), "accountd-model-"));
  const ground = join(folder, "ground.db");
  const engine = openDatabase(ground, { clock: () => beginning, canCreate: true });
  const organizations = await createOrganizations(engine);
  await engine.close();
  let copies = 0;
  return {
    organizations,
    async copy() {
      copies += 1;
      const file = join(folder, `${copies}.db`);
      copyFileSync(ground, file);
      return databaseOf(file);
    },
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

export async function createOrganizations(engine: Engine): Promise<Organization[]> {
  const organizations: Organization[] = [];
  for (let i = 0; i < 2 * pairs; i += 1) {
    const { id } = await createOrganization(engine, `Organization ${i}`);
    const key = { organizationId: id, name: `Key ${i}`, expiresAt: null, scopes };
    const stored = await storeKey(engine, key);
    organizations.push({
      id,
      secret: stored.secret,
      actor: { type: "key", id: stored.key.id, name: key.name },
    });
  }
  return organizations;
}

function databaseOf(file: string): ModelDatabase {
  return {
    openEngines: (clock) => [openDatabase(file, { clock, elapsed: clock, isExclusive: true })],
    async requestIds(organizationId) {
      const client = new Database(file, { readonly: true });
      const sql =
        "SELECT request_id FROM changes WHERE organization_id = ? AND request_id IS NOT NULL ORDER BY sequence";
      const ids = client.query(sql).values(organizationId).flat().map(String);
      client.close();
      return ids;
    },
    async close() {
      for (const suffix of ["", "-wal", "-shm", ".lock"]) rmSync(file + suffix, { force: true });
    },
  };
}
