import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "../../db/schema.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { type Body, world } from "../support/world.ts";

export const accounts = "/api/v1/accounts";
const day = 86_400_000;
const times = { startAt: "2026-01-01", endAt: "2026-01-01" };

/** The tables that have an account's rows, read from the schema. */
export const accountTables = Object.values(schema)
  .filter((value) => is(value, SQLiteTable))
  .map(getTableConfig)
  .filter(({ columns }) => columns.some(({ name }) => name === "account_id"))
  .map(({ name }) => name)
  .sort();

/**
 * A world with the accounts `acme` and `globex`, each with rows in every table that has an account's rows, and with
 * pending events.
 */
export async function deleteWorld() {
  const here = await world();

  async function send(method: string, path: string, body?: Body) {
    const reply = await here.call(method, path, body);
    if (reply.status >= 300) throw new Error(`${method} ${path} failed: ${reply.text}`);
    return reply.body.data;
  }

  /** Creates an account with the external id, and a contact, a meeting and a request with the same one. */
  async function createAccountWithRows(externalId: string) {
    const { id } = await here.account({ name: `Name of ${externalId}`, externalId, mrr: 10 });
    const accountPath = `${accounts}/${id}`;
    const contact = { name: "Ada", email: `ada@${externalId}.io`, externalId };
    const ids = {
      account: id as number,
      contacts: (await send("POST", `${accountPath}/contacts`, contact)).id,
      meetings: (await send("POST", `${accountPath}/meetings`, { title: "Kickoff", externalId, ...times }))
        .id,
      requests: (await send("POST", `${accountPath}/requests`, { title: "SSO", externalId })).id,
    };
    return ids;
  }

  const events = (externalId: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ event: "read", externalId, userId: `u${index}` }));
  const acme = await createAccountWithRows("acme");
  const globex = await createAccountWithRows("globex");
  // These events expire, but their users are not deleted yet: their days are in `expiring_days`.
  for (const externalId of ["acme", "globex"])
    await send("POST", "/api/v1/events", { events: events(externalId, 3) });
  here.pass(36 * day);
  await runDueJobs(here);
  for (const externalId of ["acme", "globex", "nobody"])
    await send("POST", "/api/v1/events", { events: events(externalId, 3) });
  const items = ["acme", "globex"].map((externalId) => ({
    externalId,
    source: "crm",
    lastSeenAt: "2026-01-05",
  }));
  await send("POST", "/api/v1/last-seen", { items });
  await runDueJobs(here);
  here.pass(1_000);

  return {
    ...here,
    send,
    acme,
    globex,
    status: async (method: string, path: string, body?: Body) => (await here.call(method, path, body)).status,
    runJobs: () => runDueJobs(here),
    /** The number of the account's rows in each table. */
    async rowsOf(accountId: number): Promise<Record<string, number>> {
      const counts: Record<string, number> = {};
      for (const table of accountTables) {
        const sql = `SELECT count(*) AS count FROM ${table} WHERE account_id = ?`;
        const [row] = await here.rows<{ count: number }>(sql, accountId);
        counts[table] = row?.count ?? 0;
      }
      return counts;
    },
  };
}
