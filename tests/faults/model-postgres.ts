import { SQL } from "bun";
import { openPostgres, startEngine } from "../../db/postgres/engine.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { beginning } from "../support/world.ts";
import { createOrganizations, type ModelDatabase, type ModelGround } from "./model-ground.ts";

/** The organizations of a sequence have different lanes. */
const connections = { readConnections: 2, writeLanes: 2 };

/** Databases of a PostgreSQL server, each for as many copies of a service. `close` removes the server. */
export async function postgresGround(copyCount: number): Promise<ModelGround> {
  const server = await startPostgres();
  const admin = new SQL({ url: server.url, max: 1 });
  const urlOf = (name: string) => server.url.replace(/\/postgres$/, `/${name}`);
  await admin.unsafe("create database ground").simple();
  const engine = await openPostgres(urlOf("ground"), { clock: () => beginning, canMigrate: true });
  const organizations = await createOrganizations(engine);
  await engine.close();
  let databaseCount = 0;
  return {
    organizations,
    async copy() {
      databaseCount += 1;
      const name = `model_${databaseCount}`;
      await admin.unsafe(`create database ${name} template ground`).simple();
      const drop = async () => void (await admin.unsafe(`drop database ${name} with (force)`).simple());
      return databaseAt(urlOf(name), copyCount, drop);
    },
    async close() {
      await admin.close({ timeout: 0 });
      await server.remove();
    },
  };
}

function databaseAt(url: string, copyCount: number, drop: () => Promise<void>): ModelDatabase {
  const sql = new SQL({ url, max: 1, bigint: true });
  return {
    openEngines: (clock) =>
      Array.from({ length: copyCount }, () => startEngine(url, { clock, elapsed: clock, connections })),
    async requestIds(organizationId) {
      const rows = await sql`select request_id from changes
        where organization_id = ${String(organizationId)} and request_id is not null order by sequence`.values();
      return rows.flat().map(String);
    },
    async createdIds(organizationId, requestId) {
      const rows = await sql`select resource, resource_id from changes
        where organization_id = ${String(organizationId)} and request_id = ${requestId} and action = 'created'`;
      return rows.map((row: { resource: string; resource_id: bigint }) => [
        row.resource,
        Number(row.resource_id),
      ]);
    },
    async close() {
      await sql.close({ timeout: 0 });
      await drop();
    },
  };
}
