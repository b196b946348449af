import { Database } from "bun:sqlite";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Running } from "../binary/binary.ts";
import { sendRequest } from "../binary/service.ts";
import type { Program } from "../support/proof.ts";
import { database } from "./database-kept.ts";

/** Every text of the organization to delete, and each event of the account to delete, contains it. It is folded. */
export const marker = "quetzalcoatlus";

/** How much the organization to delete has; `accounts` are created by requests, the rest by SQL. */
export type OrganizationSize = { accounts: number; moreAccounts: number; events: number };
/** A database, not served, of the organization that is named by the marker, and another one. */
export type MarkedDatabase = { file: string; key: string; otherKey: string; otherAccount: number };

const accounts = "/api/v1/accounts";
const times = { startAt: "2026-01-01", endAt: "2026-01-01" };

export async function makeMarkedDatabase(program: Program, size: OrganizationSize): Promise<MarkedDatabase> {
  const { file, key: otherKey, serve, createOrganization } = await database(program);
  const key = await createOrganization(marker, "--name", `key of ${marker}`);
  const server = await serve();
  const other = await sendRequest(server.url, otherKey, "POST", accounts, {
    name: "Other",
    externalId: "other",
  });
  for (let i = 0; i < size.accounts; i += 1) await furnish(server, key, i);
  await server.stop();
  insertMore(file, size);
  return { file, key, otherKey, otherAccount: other.body.data.id };
}

/** An account with marked texts wherever a text can be; some rows are changed and deleted again. */
async function furnish({ url }: Running, key: string, number: number): Promise<void> {
  const send = async (method: string, path: string, body?: unknown) => {
    const reply = await sendRequest(url, key, method, path, body);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body.data;
  };
  const text = (kind: string) => `${kind} ${marker} ${number} ${marker.repeat(number % 7)}`;
  const account = { name: text("account"), externalId: text("id"), contactName: text("first contact") };
  const below = `${accounts}/${(await send("POST", accounts, account)).id}`;
  await send("PATCH", below, { name: text("new name"), logoUrl: `https://example.com/${marker}` });
  const email = `${marker}@example.com`;
  const contact = await send("POST", `${below}/contacts`, { name: text("contact"), email });
  await send("POST", `${below}/meetings`, { title: text("meeting"), ...times });
  await send("POST", `${below}/requests`, { title: text("request"), externalId: text("request") });
  if (number % 3 === 0) await send("DELETE", `/api/v1/contacts/${contact.id}`);
  await send("POST", "/api/v1/last-seen", {
    items: [{ externalId: account.externalId, source: text("source"), lastSeenAt: "2026-01-01" }],
  });
  const event = { event: text("event"), userId: text("user"), properties: { [marker]: text("property") } };
  const events = [account.externalId, account.externalId, text("nobody")].map((externalId, i) => ({
    ...event,
    externalId,
    userId: `${event.userId} ${i}`,
    messageId: `${text("message")} ${i}`,
  }));
  await send("POST", "/api/v1/events", { events });
  if (number % 5 === 0) await send("DELETE", below);
}

/** Inserts marked accounts and events into a database that no program has open. */
function insertMore(file: string, { moreAccounts, events }: OrganizationSize): void {
  const client = new Database(file, { readwrite: true, create: false });
  const numbers = (count: number) =>
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
  const now = Date.now();
  client.run("PRAGMA foreign_keys = ON");
  client.transaction(() => {
    client.run(`${numbers(moreAccounts)}
      INSERT INTO accounts (organization_id, name, folded_name, external_id, folded_external_id, mrr, status, created_at, updated_at)
      SELECT 2, '${marker} ' || i, '${marker} ' || i, '${marker} ' || i, '${marker} ' || i, i, 'active', ${now}, ${now} FROM n`);
    client.run(
      `UPDATE account_counts SET count = count + ${moreAccounts}
        WHERE organization_id = 2 AND status = 'active' AND tier = 'none'`,
    );
    client.run(`${numbers(events)}
      INSERT INTO events (organization_id, message_id, event, timestamp, user_id, properties, received_at)
      SELECT 2, '${marker} ' || hex(randomblob(8)), '${marker}', ${now}, '${marker} ' || i, '{"a":"${marker} ' || i || '"}', ${now} FROM n`);
  })();
  client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  client.close();
}

/** How often the marker is in each file next to the database, and in it: raw bytes, whatever the database says. */
export function findMarker(file: string): string[] {
  const folder = dirname(file);
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return names.flatMap(({ name }) => {
    const count = countMarkers(join(folder, name));
    return count > 0 ? [`${name}: ${count} times`] : [];
  });
}

/** How often the marker is in the bytes of a file. */
export function countMarkers(file: string): number {
  const bytes = readFileSync(file);
  let count = 0;
  for (let at = bytes.indexOf(marker); at !== -1; at = bytes.indexOf(marker, at + marker.length)) count += 1;
  return count;
}
