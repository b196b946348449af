import { Database } from "bun:sqlite";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "../../db/schema.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { setOrganizationTraits } from "../../src/organizations/settings.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { storeKey } from "../support/keys.ts";
import { type Body, world } from "../support/world.ts";

export const accounts = "/api/v1/accounts";
const day = 86_400_000;
/** A word in every text of the organization that is deleted. */
export const marker = "zq7marker";

export const schemaTables = Object.values(schema)
  .filter((value) => is(value, SQLiteTable))
  .map(getTableConfig);
/** The tables with rows of organizations, read from the schema. */
export const tables = schemaTables
  .filter(({ columns }) => columns.some(({ name }) => name === "organization_id"))
  .map(({ name }) => name)
  .sort();

/** Two organizations with rows in every table. Every text of the first has the marker. */
export async function organizationWorld() {
  const here = await world();

  async function createRows(name: string, text: string) {
    const { id } = await createOrganization(here.engine, name);
    await setOrganizationTraits(here.engine, id, true);
    const { secret } = await storeKey(here.engine, { organizationId: id, name: text, expiresAt: null });
    const signIn = { key: null, headers: { "x-accountd-console": "1" } };
    await here.call("POST", "/console/session", { key: secret }, signIn);
    let keyCount = 0;
    async function send(method: string, path: string, body?: Body) {
      // Each reply is stored; those of the first day are deleted with it.
      keyCount += 1;
      const headers = { "x-request-id": text, "idempotency-key": `${text}-${keyCount}` };
      const options = { key: secret, headers };
      const reply = await here.call(method, path, body, options);
      if (reply.status >= 300) throw new Error(`${method} ${path} failed: ${reply.text}`);
      return reply.body.data;
    }
    const account = await send("POST", accounts, {
      name: text,
      externalId: text,
      contactName: text,
      attributes: { [text]: text, seats: 2.5 },
    });
    // The key of cursors is stored at the first use.
    await send("GET", `${accounts}?cursor=`);
    const below = `${accounts}/${account.id}`;
    await send("PATCH", below, { logoUrl: `https://x.io/${text}`, contactActivityAt: "2026-01-01" });
    const contact = { name: text, email: `${text}@x.io`, externalId: text };
    await send("POST", `${below}/contacts`, contact);
    const times = { startAt: "2026-01-01", endAt: "2026-01-01" };
    await send("POST", `${below}/meetings`, { title: text, externalId: text, ...times });
    await send("POST", `${below}/requests`, { title: text, externalId: text });
    const used = ["a", "b"].map((user) => ({
      event: text,
      externalId: text,
      userId: `${text} ${user}`,
      messageId: `${text} ${user}`,
      properties: { text, filler: `${text} `.repeat(500) },
    }));
    const pending = { event: text, externalId: `${text} nobody` };
    await send("POST", "/api/v1/events", { events: [...used, pending] });
    await send("POST", "/api/v1/last-seen", {
      items: [{ externalId: text, source: text, lastSeenAt: "2026-01-01" }],
    });
    return { id, key: secret, name, text, send, account: account.id as number, events: [...used, pending] };
  }

  const one = await createRows(`Organization ${marker}`, marker);
  const other = await createRows("Another", "other");
  here.pass(36 * day);
  await runDueJobs(here);
  for (const { send, events } of [one, other])
    await send("POST", "/api/v1/events", { events: events.map((event) => ({ ...event, messageId: null })) });
  await runDueJobs(here);
  // The deletion of this account does not finish.
  for (const { send, text } of [one, other]) {
    const { id } = await send("POST", accounts, { name: text });
    await send("DELETE", `${accounts}/${id}`);
  }

  // Transactions add 2,000 changes at once, an account attaches up to 2,000 events at once.
  using database = new Database(here.file);
  for (const { id, account, text } of [one, other]) {
    database.run("INSERT INTO account_changes VALUES (?, ?, 1)", [id, account]);
    database.run(
      `INSERT INTO attachments
       SELECT organization_id, ?, 9, account_id, 1, 0, 0 FROM account_deletions WHERE organization_id = ?`,
      [`${text} taken`, id],
    );
    database.run(
      "INSERT INTO pending_traits (organization_id, type, id, members, received_at) VALUES (?, 'user', ?, '{}', 1)",
      [id, text],
    );
    database.run(
      "INSERT INTO attribute_types (organization_id, resource, name, type) VALUES (?, 'account', ?, 'string')",
      [id, text],
    );
    database.run(
      `INSERT INTO webhooks (organization_id, url, format, ordered, active, secret, position, created_at, updated_at)
       VALUES (?1, ?2, 'accountd', 'account', 0, ?2, 0, 1, 1)`,
      [id, text],
    );
    database.run(
      `INSERT INTO webhook_deliveries (organization_id, webhook_id, sequence, account_id, status, response_body, created_at)
       SELECT organization_id, id, 1, 0, 'failed', url, 1 FROM webhooks WHERE organization_id = ?`,
      [id],
    );
    database.run("UPDATE organization_settings SET message_id_key = ? WHERE organization_id = ?", [text, id]);
  }

  return {
    ...here,
    one,
    other,
    /** The number of rows of the organization in each table, `organizations` included. */
    rowsOf(organizationId: number): Record<string, number> {
      using database = new Database(here.file, { readonly: true });
      const count = (table: string, column: string) => {
        const sql = `SELECT count(*) AS count FROM ${table} WHERE ${column} = ?`;
        using statement = database.prepare<{ count: number }, [number]>(sql);
        return statement.get(organizationId)?.count ?? 0;
      };
      const counts = tables.map((table) => [table, count(table, "organization_id")] as const);
      return Object.fromEntries([...counts, ["organizations", count("organizations", "id")]]);
    },
    /** The replies that the other organization's key receives. */
    async visibleToOther(): Promise<unknown[]> {
      const account = `${accounts}/${other.account}`;
      const own = [
        "",
        "/contacts",
        "/meetings",
        "/requests",
        "/usage?from=2025-12-01",
        "/health",
        "/history",
      ];
      const paths = [accounts, ...own.map((path) => account + path)];
      return Promise.all([...paths, "/api/v1/changes"].map((path) => other.send("GET", path)));
    },
  };
}
