import { Database } from "bun:sqlite";
import { sendRequest } from "../binary/service.ts";
import type { Program } from "../support/proof.ts";
import { database } from "./database-kept.ts";
import type { Others } from "./other-requests.ts";

/** A database, not served, with pending events of one external id. `target` is the account to take the id. */
export type PendingEvents = Others & { file: string; target: number; count: number };
/** The external id of the pending events. */
export const pendingId = "unknown";

const accounts = "/api/v1/accounts";
const day = 86_400_000;
const [days, eventNames, users] = [28, 5, 100];

export async function makePendingEvents(program: Program, count: number): Promise<PendingEvents> {
  const { file, key, serve, createOrganization } = await database(program);
  const otherKey = await createOrganization("Zenith");
  const server = await serve();
  const create = async (owner: string, name: string): Promise<number> =>
    (await sendRequest(server.url, owner, "POST", accounts, { name })).body.data.id;
  const target = await create(key, "Target");
  const kept = await create(key, "Kept");
  const other = await create(otherKey, "Other");
  await server.stop();
  insertEvents(file, count);
  return { file, key, otherKey, target, kept, other, count };
}

/** Inserts the events into a database that no program has open, in another order than that of their timestamps. */
function insertEvents(file: string, count: number): void {
  const client = new Database(file, { readwrite: true, create: false });
  const now = Date.now();
  const age = `(i * 7919) % ${days * day}`;
  client.run("PRAGMA synchronous = OFF");
  client.transaction(() => {
    client.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO events (organization_id, external_id, message_id, event, timestamp, user_id, received_at)
      SELECT 1, '${pendingId}', hex(randomblob(16)), 'event ' || i % ${eventNames}, ${now} - ${age},
        'user ' || i % ${users}, ${now} FROM n`);
    client.run(`INSERT INTO unmatched_ids (organization_id, external_id, count, first_at, last_at)
      SELECT 1, external_id, count(*), min(timestamp), max(timestamp) FROM events`);
    client.run(
      "INSERT OR REPLACE INTO health_progress (organization_id, last_event_id) SELECT organization_id, max(id) FROM events GROUP BY 1",
    );
  })();
  client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  client.close();
}
