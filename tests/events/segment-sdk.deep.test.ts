import { expect, test } from "bun:test";
import { Analytics } from "@segment/analytics-node";
import { organization, serve } from "../support/server.ts";
import { type Reply, temporaryFile } from "../support/world.ts";

const eventNames = ["invoice sent", "Report Exported", "seat.added"];
/** One timestamp for all events, so that they are on the same day. */
const timestamp = new Date(Date.now() - 86_400_000);
const day = timestamp.toISOString().slice(0, 10);

/** A database with one organization and a key, and a server of it. */
async function start() {
  const file = temporaryFile("accountd.db");
  const key = await organization(file);
  const server = await serve(file);

  async function sendRequest(path: string, body?: Record<string, unknown>) {
    const headers = { "x-api-key": key, ...(body && { "content-type": "application/json" }) };
    const sent = body && { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${server.url}/api/v1${path}`, { headers, ...sent });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return ((await response.json()) as Reply["body"]).data;
  }
  return { key, server, sendRequest };
}

/** The types of the calls that the SDK delivered, and its errors. */
function observe(clients: Analytics[]) {
  const delivered: string[] = [];
  const failures: string[] = [];
  for (const client of clients) {
    for (const type of ["track", "identify", "page", "group", "alias", "screen"] as const)
      client.on(type, () => void delivered.push(type));
    client.on("error", ({ code, reason }) => void failures.push(`${code}: ${reason}`));
  }
  return { delivered, failures };
}

/** Makes `count` track calls of 40 users, and the five other calls after every 50, and waits for all. */
async function send(client: Analytics, groupId: string, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const [event = "", userId] = [eventNames[i % 3], `user ${i % 40}`];
    const properties = { number: i, nested: { list: [i, "é"], nothing: null } };
    client.track({ event, userId, timestamp, context: { groupId }, ...(i % 2 && { properties }) });
    if (i % 50 === 0) {
      sendOthers(client, groupId, userId);
      await Bun.sleep(5);
    }
  }
  await client.closeAndFlush({ timeout: 20_000 });
}

function sendOthers(client: Analytics, groupId: string, userId: string): void {
  const context = { groupId };
  client.identify({ userId, traits: { plan: "pro" }, context });
  client.page({ userId, name: "Home", properties: { path: "/" }, context });
  client.group({ userId, groupId, traits: { name: "Acme" }, context });
  client.alias({ userId, previousId: "someone", context });
  client.screen({ userId, name: "Home", context });
}

/** The expected usage of an account after `count` calls of `send`. */
function usageAfter(count: number) {
  return eventNames.toSorted().map((event) => {
    const calls = Array.from({ length: count }, (_, i) => i).filter((i) => eventNames[i % 3] === event);
    return { day, event, count: calls.length, users: new Set(calls.map((i) => i % 40)).size };
  });
}

test("Segment's SDK delivers with its default settings, and reports an error for every call with an invalid key", async () => {
  const { key, server, sendRequest } = await start();
  const { id } = await sendRequest("/accounts", { name: "Acme", externalId: "acme" });
  // 120 calls are whole batches of 15. The SDK may delay a partial batch for 10 seconds.
  const client = new Analytics({ writeKey: key, host: server.url });
  const unauthorized = new Analytics({ writeKey: "wrong", host: server.url });
  const { delivered, failures } = observe([client, unauthorized]);
  await send(client, "acme", 105);
  expect({ delivered: delivered.length, failures }).toEqual({ delivered: 120, failures: [] });
  await send(unauthorized, "acme", 1);
  expect(failures).toEqual(Array(6).fill("delivery_failure: Error: [401] Unauthorized"));
  expect(await sendRequest(`/accounts/${id}/usage`)).toEqual(usageAfter(105));
}, 20_000);
