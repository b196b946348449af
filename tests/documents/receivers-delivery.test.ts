import { expect, setDefaultTimeout, test } from "bun:test";
import { freePort } from "../support/free-port.ts";
import { command, serve } from "../support/server.ts";
import { type Reply, temporaryFile } from "../support/world.ts";
import { until } from "../webhooks/delivery-world.ts";
import { receivers, startReceiver } from "./receivers.ts";

setDefaultTimeout(60_000);

/** A server that sends to loopback addresses, and a function that returns the `data` of the reply to a request. */
async function startServer() {
  const file = temporaryFile("accountd.db");
  await command("organizations", "create", "acme", "--database", file);
  const scopes = ["--scope", "admin,read,write"];
  const key = await command("keys", "create", "--organization", "acme", ...scopes, "--database", file);
  const { url } = await serve(file, "0", "--webhooks-insecure");
  return async (method: string, path: string, body?: object) => {
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(new URL(`/api/v1/${path}`, url), init);
    if (!response.ok) throw new Error(`${method} ${path} failed: ${await response.text()}`);
    // Safe: the replies to these requests have `data`.
    return response.status === 204 ? undefined : ((await response.json()) as Reply["body"]).data;
  };
}

for (const example of receivers)
  test.skipIf(!Bun.which(example.program))(
    `${example.name} keeps a copy of the rows that a webhook sends, also while it does not run and across a rotation`,
    async () => {
      const send = await startServer();
      const port = await freePort();
      const webhook = await send("POST", "webhooks", { url: `http://127.0.0.1:${port}/`, ordered: "strict" });
      const path = `webhooks/${webhook.id}`;
      const receiver = await startReceiver(example, webhook.secret, port);
      expect(await send("POST", `${path}/test`)).toMatchObject({ status: "delivered", responseStatus: 204 });

      const attributes = { plan: "pro", seats: 5 };
      const { id } = await send("POST", "accounts", { name: "Acme", attributes });
      const other = await send("POST", "accounts", { name: "Globex", contactName: "Ada" });
      await send("DELETE", `accounts/${other.id}`);
      await send("PATCH", `accounts/${id}`, { mrr: 20, attributes: { seats: 6, plan: null } });
      const contact = await send("POST", `accounts/${id}/contacts`, {
        name: "Bob",
        email: "bob@example.com",
      });
      const delivered = (count: number) => () => receiver.ids().length === count;
      await until(delivered(7));

      await receiver.end();
      await send("PATCH", `accounts/${id}`, { name: "Acme Ltd" });
      const pending = async () => (await send("GET", `${path}/deliveries?status=pending`))[0];
      await until(async () => (await pending())?.attempts > 0);
      const { id: deliveryId, error } = await pending();
      expect(error).toBe("connection_refused");
      await send("POST", `${path}/rotate`);
      await receiver.restart();
      await send("POST", `${path}/deliveries/${deliveryId}/retry`);
      await until(delivered(8));

      const account = await send("GET", `accounts/${id}?include=status,attributes`);
      const { contacts, meetings, requests, ...fields } = account;
      expect([contacts.length, meetings, requests]).toEqual([1, [], []]);
      const { accountId, lastSeenAt, ...contactFields } = contact;
      const copy = Object.fromEntries(
        receiver.rows().map(({ name, fields }) => [name, JSON.parse(fields ?? "null")]),
      );
      expect(Object.keys(copy)).toHaveLength(4);
      expect(copy).toMatchObject({
        [`account/${id}`]: { ...fields, attributes: { seats: 6, plan: null } },
        [`account/${other.id}`]: null,
        [`contact/${contact.id}`]: contactFields,
      });
    },
  );
