import { afterEach, expect, test } from "bun:test";
import { type AccountUpsert, createClient, type UsageEvent } from "../src/client.ts";
import { cut } from "../src/cuts.ts";
import { startServer, stopServers } from "./server.ts";

afterEach(stopServers);

const deep = JSON.parse(`${'{"a":'.repeat(40)}1${"}".repeat(40)}`);
const bytesOf = (list: unknown[]) => Buffer.byteLength(JSON.stringify({ accounts: list }));

test("lists are cut by number and by rows, in order, and an item beyond a limit is a list of its own", async () => {
  const rows = [1, 2, 2, 9, 1, 1, 1, 1];
  const lists = await Array.fromAsync(cut(rows, { maxItems: 3, maxRows: 5, rowsOf: (row) => row }));
  expect(lists).toEqual([[1, 2, 2], [9], [1, 1, 1], [1]]);
  expect(await Array.fromAsync(cut([], { maxItems: 3 }))).toEqual([]);
});

test("a list has at most 1 MiB in UTF-8, and the next item would not fit", async () => {
  const items = Array.from({ length: 300 }, (_, i) => ({ name: "é€😀\n".repeat((i * 7919) % 1_500) }));
  const lists = await Array.fromAsync(cut(items, { maxItems: 1_000 }));
  expect(lists.flat()).toEqual(items);
  expect(lists.length).toBeGreaterThan(2);
  for (const [i, list] of lists.entries()) {
    expect(bytesOf(list)).toBeLessThanOrEqual(1_048_576);
    const next = lists[i + 1]?.[0];
    if (next) expect(bytesOf([...list, next])).toBeGreaterThan(1_048_576 - 32);
  }
});

test("an account that the server rejects with its whole request fails alone", async () => {
  const { server, key } = await startServer();
  const client = createClient({ server, key });
  const valid = (name: string) => ({ externalId: name, name });
  const contacts = Array.from({ length: 5_000 }, (_, i) => ({ externalId: `c-${i}`, name: "Ada" }));
  const accounts: unknown[] = [
    valid("a"),
    null,
    "text",
    { ...valid("large"), attributes: { note: "x".repeat(1_100_000) } },
    { ...valid("wide"), contacts },
    { ...valid("lists"), contacts: null },
    valid("b"),
    { ...valid("deep"), attributes: deep },
    valid("c"),
  ];
  // Safe: a caller without types.
  const results = await Array.fromAsync(client.upsertAccounts(accounts as AccountUpsert[]));
  expect(results.map(({ account }) => account as unknown)).toEqual(accounts);
  expect(results.map(({ result, problem }) => problem?.code ?? result)).toEqual([
    "created",
    "invalid_request",
    "invalid_request",
    "payload_too_large",
    "invalid_request",
    "invalid_request",
    "created",
    "malformed_json",
    "created",
  ]);
});

test("an event that the server rejects with its whole request is rejected alone", async () => {
  const { server, key } = await startServer();
  const valid = { event: "opened", externalId: "acme" };
  const events: unknown[] = [
    valid,
    null,
    { ...valid, properties: { note: "x".repeat(1_100_000) } },
    valid,
    { ...valid, properties: deep },
    valid,
  ];
  const receipt = await createClient({ server, key }).sendEvents(events as UsageEvent[]);
  const outcomes = receipt.items.map(({ index, code }) => [index, code]);
  expect(outcomes).toEqual([
    [0, "parked"],
    [1, "wrong_type"],
    [2, "too_large"],
    [3, "parked"],
    [4, "too_deep"],
    [5, "parked"],
  ]);
  expect([receipt.parked, receipt.rejected]).toEqual([3, 3]);
});

/** A client that counts its requests, which `rejects` may answer. */
async function countingClient(rejects: (body: string) => Response | undefined = () => undefined) {
  const { server, key } = await startServer();
  const counts = { requests: 0 };
  const client = createClient({
    server,
    key,
    fetch: async (request) => {
      counts.requests += 1;
      return rejects(await request.clone().text()) ?? fetch(request);
    },
  });
  return { client, counts };
}

test("accounts that are nested too deep are found in few requests: all of a batch, or every second one", async () => {
  const { client, counts } = await countingClient();
  for (const [isDeep, maxRequests] of [
    [() => true, 11],
    [(i: number) => i % 2 === 1, 22],
    [(i: number) => i === 777, 22],
  ] as const) {
    const accounts = Array.from({ length: 1_000 }, (_, i) => ({
      ...{ externalId: `{"[[[[${i}`, name: "[".repeat(50) },
      ...(isDeep(i) && { attributes: deep }),
    }));
    counts.requests = 0;
    const results = await Array.fromAsync(client.upsertAccounts(accounts));
    expect(results.map(({ account }) => account)).toEqual(accounts);
    expect(results.map(({ problem }) => problem?.code)).toEqual(
      accounts.map((_, i) => (isDeep(i) ? "malformed_json" : undefined)),
    );
    expect(counts.requests).toBeLessThanOrEqual(maxRequests);
  }
});

test("events that are too large for a proxy are found in few requests, and their indexes are those of the list", async () => {
  const tooLarge = new Response("Request Entity Too Large", { status: 413 });
  const { client, counts } = await countingClient((body) =>
    body.length > 2_000 ? tooLarge.clone() : undefined,
  );
  const events = Array.from({ length: 1_200 }, (_, i) => ({
    ...{ event: "opened", externalId: "acme" },
    properties: { note: "x".repeat(i % 100 === 99 ? 0 : 2_000) },
  }));
  const { items, parked, rejected } = await client.sendEvents(events);
  expect(items.map(({ index, code }) => [index, code])).toEqual(
    events.map(({ properties }, i) => [i, properties.note === "" ? "parked" : "too_large"]),
  );
  expect([parked, rejected]).toEqual([12, 1_188]);
  // Three batches of at most 1 MiB.
  expect(counts.requests).toBeLessThanOrEqual(3 * 15);
});

test("a request that is rejected for a header throws, and is not halved", async () => {
  const errors = [{ header: "idempotency-key", code: "not_allowed", detail: "must be shorter" }];
  const problem = { status: 400, detail: "Correct it.", code: "invalid_request", errors };
  const { client, counts } = await countingClient(() =>
    Response.json(problem, { status: 400, headers: { "content-type": "application/problem+json" } }),
  );
  const accounts = [1, 2].map((id) => ({ externalId: `${id}`, name: "A" }));
  await expect(Array.fromAsync(client.upsertAccounts(accounts))).rejects.toThrow("idempotency-key");
  expect(counts.requests).toBe(1);
});

test("a request that fails for another reason than an item throws", async () => {
  const { server } = await startServer();
  const client = createClient({ server, key: "wrong" });
  await expect(client.sendEvents([{ event: "opened", externalId: "acme" }])).rejects.toThrow("401");
});

test.each(["", "accounts.example.com", "ftp://x.io", "localhost:3000"])(
  "the server %j is no http or https URL",
  (server) => {
    expect(() => createClient({ server, key: "key" })).toThrow("server must be an http or https URL");
  },
);

test("the server accepts batches that are cut at each limit", async () => {
  const { server, key } = await startServer();
  let postCount = 0;
  const client = createClient({ server, key, fetch: (request) => fetch(countOf(request)) });
  const countOf = (request: Request) => {
    postCount += 1;
    return request;
  };
  const contact = (i: number) => ({ externalId: `c-${i}`, name: "Ada" });
  const contacts = Array.from({ length: 4_999 }, (_, i) => contact(i));
  const attributes = Object.fromEntries(Array.from({ length: 32 }, (_, i) => [`text${i}`, "é".repeat(500)]));
  const long = Array.from({ length: 40 }, (_, i) => ({ externalId: `l-${i}`, name: "Long", attributes }));
  const short = Array.from({ length: 1_001 }, (_, i) => ({ externalId: `s-${i}`, name: "Short" }));
  const accounts = [...short, { externalId: "wide", name: "Wide", contacts }, ...long];
  const results = await Array.fromAsync(client.upsertAccounts(accounts));
  expect(results.map(({ account }) => account.externalId)).toEqual(
    accounts.map(({ externalId }) => externalId),
  );
  expect(new Set(results.map(({ result }) => result))).toEqual(new Set(["created"]));
  // 1,000 short ones; one; the wide one; 1 MiB of long ones; the rest.
  expect(postCount).toBe(5);
});
