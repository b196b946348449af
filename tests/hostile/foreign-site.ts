import { Database } from "bun:sqlite";
import type { Site } from "./site.ts";

/** The ids in requests: numbers of the service, and texts of callers. */
export type Ids = {
  accountId: number;
  contactId: number;
  meetingId: number;
  requestId: number;
  keyId: number;
  webhookId: number;
  deliveryId: number;
  /** The ids of the account, and of its contact, meeting and request. */
  externalId: string;
  email: string;
  messageId: string;
};

/** Fills an organization: for each name an account with a contact, a meeting, a request and an event, and a key. */
export async function furnish(
  { make }: Pick<Site, "make">,
  key: string,
  word: string,
  count: number,
): Promise<Ids[]> {
  const all: Ids[] = [];
  // An organization has few webhooks. Deliveries would change the database.
  const webhook = await make(key, "POST", "/api/v1/webhooks", { url: `https://${word}.invalid/` });
  await make(key, "PATCH", `/api/v1/webhooks/${webhook.id}`, { active: false });
  for (let i = 0; i < count; i++) {
    const externalId = `${word}-${i}`;
    const names = { externalId, email: `${externalId}@x.io`, messageId: `m-${externalId}` };
    const made = async (path: string, body: object) =>
      (await make(key, "POST", path, { ...body, externalId })).id;
    const accountId = await made("/api/v1/accounts", { name: `Of ${word}`, mrr: i });
    const below = `/api/v1/accounts/${accountId}`;
    const contactId = await made(`${below}/contacts`, { name: "Ada", email: names.email });
    const moments = { startAt: "2026-01-01", endAt: "2026-01-01" };
    const meetingId = await made(`${below}/meetings`, { title: "Review", ...moments });
    const requestId = await made(`${below}/requests`, { title: "SSO" });
    await make(key, "POST", "/api/v1/events", { event: "login", externalId, messageId: names.messageId });
    const { id: keyId } = await make(key, "POST", "/api/v1/keys", { name: externalId });
    const ids = { accountId, contactId, meetingId, requestId, keyId };
    all.push({ ...ids, webhookId: webhook.id, deliveryId: 1, ...names });
  }
  return all;
}

/** Ids that do not exist, in the form of existing ones. */
export function nobody(n: number): Ids {
  const id = 900_000_000 + n;
  const externalId = `none-${n}`;
  const names = { externalId, email: `${externalId}@x.io`, messageId: `m-${externalId}` };
  const rowIds = { accountId: id, contactId: id, meetingId: id, requestId: id };
  return { ...rowIds, keyId: id, webhookId: id, deliveryId: id, ...names };
}

/**
 * A hash of all rows of all tables, or of those of all but one organization. It leaves out the last use of keys, which
 * every request may change.
 */
export function hashOf(file: string, without?: number): string {
  const client = new Database(file, { readonly: true });
  try {
    const tables = client
      .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .all()
      .map(({ name }) => name)
      .filter((name) => without === undefined || name !== "sqlite_sequence");
    if (tables.length < 10) throw new Error(`the database has no tables but ${tables}`);
    const hasher = new Bun.CryptoHasher("sha256");
    for (const table of tables) {
      const columns = client.query<{ name: string }, []>(`PRAGMA table_info("${table}")`).all();
      const names = columns.map(({ name }) => name).filter((name) => name !== "last_used_at");
      const isOwned = without !== undefined && names.includes("organization_id");
      const where = isOwned ? `WHERE organization_id <> ${without}` : "";
      const rows = client.query(`SELECT ${names} FROM "${table}" ${where} ORDER BY ${names}`).values();
      hasher.update(`${table}:${JSON.stringify(rows)}\n`);
    }
    return hasher.digest("hex");
  } finally {
    client.close();
  }
}

/** Waits for the jobs: until the hash has not changed for longer than one of their rounds. */
export async function settled(file: string): Promise<void> {
  let before = "";
  let since = performance.now();
  const end = since + 30_000;
  while (performance.now() < end) {
    const now = hashOf(file);
    if (now !== before) since = performance.now();
    before = now;
    if (performance.now() - since > 2_500) return;
    await Bun.sleep(100);
  }
  throw new Error("the database does not come to rest");
}
