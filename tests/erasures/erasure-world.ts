import { existsSync, readFileSync } from "node:fs";
import { storeKey } from "../support/keys.ts";
import { type Body, type Reply, world } from "../support/world.ts";

export const path = "/api/v1/erasures";
export const nothing = { contacts: 0, events: 0, usageUsers: 0, changes: 0, idempotentReplies: 0 };
/** A word in every value of the person, and in none of others. */
export const marker = "zq7ada";
export const email = `${marker}@x.io`;
export const userId = `user ${marker}`;

/** A world with the account 1 (`acme`), and functions that store a person and others, and erase persons. */
export async function erasureWorld() {
  const here = await world();
  const { call, engine, first, second } = here;
  const adminKey = async (organizationId: number) =>
    (await storeKey(engine, { organizationId, name: "admin", expiresAt: null, scopes: ["admin"] })).secret;
  const keys = { first: await adminKey(first.id), second: await adminKey(second.id) };
  await here.account({ name: "Acme", externalId: "acme" });

  async function send(method: string, target: string, body?: Body, headers = {}): Promise<Body> {
    const reply = await call(method, target, body, { headers });
    if (reply.status >= 300) throw new Error(`${method} ${target}: ${reply.text}`);
    return reply.body.data;
  }

  return {
    ...here,
    keys,
    send,
    erase: (body: Body, { query = "", key = keys.first, headers = {} } = {}): Promise<Reply> =>
      call("POST", path + query, body, { key, headers }),

    /** A contact with a marker in every value, that is created and renamed, with stored replies. */
    async storeContact(number: number, { address = email, account = 1 } = {}): Promise<number> {
      const body = {
        name: `${marker} ${number}`,
        email: address,
        externalId: `${marker} id ${number}`,
        attributes: { city: `${marker} city` },
      };
      const headers = { "idempotency-key": `create ${number}`.replace(" ", "-") };
      const contact = await send("POST", `/api/v1/accounts/${account}/contacts`, body, headers);
      const renamed = { name: `${marker} renamed ${number}`, attributes: { city: null, street: marker } };
      await send("PATCH", `/api/v1/contacts/${contact.id}`, renamed, {
        "idempotency-key": `rename-${number}`,
      });
      return Number(contact.id);
    },

    /** Two events of the person and two of another user on a day, and a pending one of the person. */
    async storeEvents(user = userId): Promise<void> {
      const event = { event: "login", externalId: "acme", timestamp: "2026-01-01T10:00:00Z" };
      const events = [
        { ...event, userId: "other", messageId: "1" },
        { ...event, userId: user, messageId: `message ${user}`, properties: { text: marker } },
        { ...event, userId: user, messageId: "2", event: "first", properties: { text: marker } },
        { ...event, userId: "other", messageId: "3", event: "first", properties: { text: "kept" } },
        { event: "login", externalId: "unknown", userId: user, messageId: "4" },
      ];
      await send("POST", "/api/v1/events", { events });
    },

    usage: async () =>
      (await send("GET", "/api/v1/accounts/1/usage")) as unknown as Record<string, unknown>[],

    /** Makes the transaction after so many fail. Returns a function that ends this, and returns whether one failed. */
    interruptAfter(count: number): () => boolean {
      const write = engine.write.bind(engine);
      let written = 0;
      engine.write = (organizationId, run, options) => {
        if (options?.isBulk && written++ === count) throw new Error("interrupted");
        return write(organizationId, run, options);
      };
      return () => {
        engine.write = write;
        return written > count;
      };
    },

    /** All rows of all tables as text. */
    async content(): Promise<string> {
      const tables = ["contacts", "events", "usage_days", "usage_users", "changes", "idempotency_keys"];
      tables.push("attribute_values", "attribute_names", "usage_sum_users");
      const rows = await Promise.all(tables.map((table) => here.rows(`SELECT * FROM ${table}`)));
      return JSON.stringify(rows);
    },

    /** How often the marker is in the files of the database, in any letter case. */
    occurrences(): number {
      const files = ["", "-wal", "-journal"].map((suffix) => here.file + suffix).filter(existsSync);
      const texts = files.map((file) => readFileSync(file).toString("latin1").toLowerCase());
      return texts.reduce((sum, text) => sum + text.split(marker).length - 1, 0);
    },
  };
}
