// Runs in Node, Bun and Deno without packages. Save it, and:
//
//   import { sync } from "./sync.mjs";
//   const failed = await sync({ server: "http://127.0.0.1:3000", key: process.env.KEY, accounts, events });
//   for (const { item, problem } of failed) console.error(item.externalId, problem);
//
// Correct the items that failed and run it again. Equal rows stay unchanged, and events with a `messageId` count once.

/**
 * Sends accounts with their contacts, meetings and requests, then events. `accounts` and `events` are as in the bodies
 * of POST /api/v1/accounts/batch and POST /api/v1/events. Returns the items that were not stored, with the reason:
 * `{ item, problem: { code, detail } }`. The key needs the scopes `write` and `events`.
 */
export async function sync({ server, key, accounts, events }) {
  const failed = [];
  for (const chunk of chunksOf(accounts, { maxItems: 1000, maxRows: 5000 })) {
    const { results } = await post("/api/v1/accounts/batch", { accounts: chunk });
    for (const [i, { problem }] of results.entries()) if (problem) failed.push({ item: chunk[i], problem });
  }
  for (const chunk of chunksOf(events, { maxItems: 1000, maxRows: 1000 })) {
    const { items } = await post("/api/v1/events", { events: chunk });
    for (const { index, ...problem } of items)
      if (!["duplicate", "parked"].includes(problem.code)) failed.push({ item: chunk[index], problem });
  }
  return failed;

  async function post(path, body) {
    const headers = {
      "x-api-key": key,
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
    };
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(new URL(path, server), {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      }).catch((error) => error);
      if (response.ok) return (await response.json()).data;
      // No response, or one with Retry-After: the same request with the same key has one effect.
      const seconds = response instanceof Error ? attempt : Number(response.headers.get("retry-after"));
      if (!seconds || attempt === 5)
        throw response instanceof Error ? response : new Error(await response.text());
      await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
    }
  }
}

/** Chunks within the limits of a request: items, rows with sub-resources, and 1 MiB. */
function* chunksOf(items, { maxItems, maxRows, maxBytes = 1_000_000 }) {
  let [chunk, rows, bytes] = [[], 0, 0];
  for (const item of items) {
    const { contacts = [], meetings = [], requests = [] } = item;
    const itemRows = 1 + contacts.length + meetings.length + requests.length;
    const itemBytes = new TextEncoder().encode(JSON.stringify(item)).length + 1;
    if (chunk.length === maxItems || rows + itemRows > maxRows || bytes + itemBytes > maxBytes) {
      yield chunk;
      [chunk, rows, bytes] = [[], 0, 0];
    }
    chunk.push(item);
    rows += itemRows;
    bytes += itemBytes;
  }
  if (chunk.length > 0) yield chunk;
}
