import { Database } from "bun:sqlite";
import { sendRequest } from "../binary/service.ts";
import type { Program } from "../support/proof.ts";
import { database } from "./database-kept.ts";
import { marker } from "./deletion-texts.ts";
import { tablesOf } from "./migrations-content.ts";
import type { Others } from "./other-requests.ts";

/** How much usage the account to delete has. */
export type Usage = { events: number; days: number; eventNames: number; usersOfDay: number };
/** A database, not served: the account to delete and another one in the first organization, and one in the second. */
export type Original = Others & {
  file: string;
  doomed: number;
  /** Paths of the account to delete, of what it has, and of its rows. */
  paths: readonly string[];
  /** The number of its events. */
  doomedEvents: number;
};

const accounts = "/api/v1/accounts";
const times = { startAt: "2026-01-01", endAt: "2026-01-01" };
const day = 86_400_000;
/** Of so many events one is of the account that is kept. */
const eventsForOneKept = 20;

export async function makeOriginal(program: Program, usage: Usage): Promise<Original> {
  const { file, key, serve, createOrganization } = await database(program);
  const otherKey = await createOrganization("Zenith");
  const server = await serve();
  const doomed = await furnish(server.url, key, "doomed");
  const kept = await furnish(server.url, key, "kept");
  // The same external ids in another organization.
  const other = await furnish(server.url, otherKey, "doomed");
  await server.stop();
  insertUsage(file, { doomed: doomed.id, kept: kept.id }, usage);
  return {
    file,
    key,
    otherKey,
    doomed: doomed.id,
    kept: kept.id,
    other: other.id,
    paths: doomed.paths,
    doomedEvents: usage.events - Math.floor(usage.events / eventsForOneKept),
  };
}

/** Creates an account with rows of each kind, whose external ids begin with this one. */
async function furnish(url: string, key: string, externalId: string) {
  const send = async (method: string, path: string, body: unknown) => {
    const reply = await sendRequest(url, key, method, path, body);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body.data;
  };
  const name = `Name of ${externalId}`;
  const id: number = (await send("POST", accounts, { name, externalId, mrr: 10 })).id;
  const below = `${accounts}/${id}`;
  const lists = ["contacts", "meetings", "requests", "usage", "health", "history"];
  const paths = [below, `${accounts}/external/${externalId}`, ...lists.map((list) => `${below}/${list}`)];
  for (let i = 0; i < 3; i += 1) {
    const own = `${externalId}-${i}`;
    const rows = {
      contacts: { name, externalId: own, email: `${own}@example.com` },
      meetings: { title: name, externalId: own, ...times },
      requests: { title: name, externalId: own },
    };
    for (const [kind, row] of Object.entries(rows)) {
      const created = await send("POST", `${below}/${kind}`, row);
      paths.push(`/api/v1/${kind}/${created.id}`, `/api/v1/${kind}/external/${own}`);
    }
  }
  await send("PATCH", below, { mrr: 20 });
  const items = [{ externalId, source: "crm", lastSeenAt: "2026-01-01" }];
  await send("POST", "/api/v1/last-seen", { items });
  return { id, paths };
}

type Accounts = { doomed: number; kept: number };

/** Inserts usage into a database that no program has open. */
function insertUsage(file: string, { doomed, kept }: Accounts, usage: Usage): void {
  const { events, days, eventNames, usersOfDay } = usage;
  const client = new Database(file, { readwrite: true, create: false });
  const now = Date.now();
  const today = Math.floor(now / day);
  const numbers = (count: number) => JSON.stringify(Array.from({ length: count }, (_, i) => i));
  client.run("PRAGMA synchronous = OFF");
  client.run("PRAGMA foreign_keys = ON");
  client.transaction(() => {
    client.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${events})
      INSERT INTO events
        (organization_id, account_id, message_id, event, timestamp, user_id, properties, received_at)
      SELECT 1, CASE WHEN i % ${eventsForOneKept} = 0 THEN ${kept} ELSE ${doomed} END,
        CASE WHEN i % 2 = 0 THEN hex(randomblob(16)) END, 'event ' || i % ${eventNames},
        ${now} - (i % ${days}) * ${day}, 'user ' || i % ${usersOfDay},
        '{"page":"' || CASE WHEN i % ${eventsForOneKept} > 0 THEN '${marker} ' ELSE '' END || i || '"}', ${now} FROM n`);
    client.run(`INSERT INTO usage_days (organization_id, account_id, day, event, count, users, first_user, first_at, last_at)
      SELECT 1, accounts.value, ${today} - days.value, 'event ' || names.value, ${usersOfDay}, ${usersOfDay}, 'user 0', ${now}, ${now}
      FROM json_each('[${doomed},${kept}]') AS accounts, json_each('${numbers(days)}') AS days, json_each('${numbers(eventNames)}') AS names`);
    client.run(`INSERT INTO usage_users
      SELECT organization_id, account_id, day, event, 'user ' || value FROM usage_days, json_each('${numbers(usersOfDay)}')
      WHERE value > 0`);
    client.run(`INSERT INTO expiring_days
      SELECT organization_id, day, account_id, event FROM usage_days WHERE day % 2 = 0`);
    // The scores are those of these events.
    client.run(
      "INSERT OR REPLACE INTO health_progress (organization_id, last_event_id) SELECT organization_id, max(id) FROM events GROUP BY 1",
    );
  })();
  client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  client.close();
}

/** The number of an account's rows in each table that has any, as text. */
export function rowsOfAccount(client: Database, accountId: number): string[] {
  return tablesOf(client).flatMap((table) => {
    const columns = client
      .query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}')`)
      .all();
    const column = table === "accounts" ? "id" : "account_id";
    if (!columns.some(({ name }) => name === column)) return [];
    const sql = `SELECT count(*) AS n FROM "${table}" WHERE ${column} = ${accountId}`;
    const { n } = client.query<{ n: number }, []>(sql).get() ?? { n: 0 };
    return n > 0 ? [`${table}: ${n}`] : [];
  });
}

/** Differs after each step of the deletion. */
export function progressOf(client: Database, accountId: number): string {
  const sql = `SELECT (SELECT sum(last_event_id) FROM account_deletions),
    (SELECT count(*) FROM usage_days WHERE account_id = ${accountId}),
    (SELECT count(*) FROM usage_users WHERE account_id = ${accountId})`;
  return JSON.stringify(client.query(sql).values());
}

/** Whether a deletion of an account is in progress. */
export function isDeleting(client: Database): boolean {
  return client.query("SELECT 1 FROM account_deletions").get() !== null;
}
