import type { Random } from "../support/random.ts";

/** A client of one organization with a constant number of accounts. */
export type Client = { url: string; key: string; random: Random; ids: number[]; createdCount: number };
type Call = { method: string; path: string; body?: unknown; status?: number };

const accounts = "/api/v1/accounts";
const accountCount = 500;
const statuses = ["active", "onboarding", "churned"];
const orders = ["name", "mrr", "createdAt", "updatedAt", "healthScore"];
const words = ["orbit", "nova", "delta", "corp", "group", "labs", "wayne", "hooli"];

/** Requests by how often they are sent: a number of tickets each. A `Call` is chosen by random numbers. */
const kinds: readonly [tickets: number, choose: (client: Client) => Call][] = [
  [20, replaceAccount],
  [
    20,
    ({ random, ids }) =>
      patch(random.of(ids), { mrr: random.below(10_000), attributes: { seats: random.below(99) } }),
  ],
  [20, ({ random, ids }) => get(`${accounts}/${random.of(ids)}?include=contacts,health`)],
  [15, list],
  [4, ({ random }) => get(`${accounts}?search=${random.of(words).slice(0, 3)}&sortBy=mrr`)],
  [
    5,
    ({ random, ids }) =>
      post(`${accounts}/${random.of(ids)}/contacts`, {
        name: "Ada",
        email: `${crypto.randomUUID()}@example.com`,
      }),
  ],
  [3, ({ random, ids }) => get(`${accounts}/${random.of(ids)}/history`)],
  [5, sendEvents],
  [2, sendBatch],
  [2, upsert],
  [2, () => get("/api/v1/changes?after=0&limit=100")],
  [1, () => get("/api/v1/health/summary")],
  [1, () => get("/api/v1/usage")],
  [1, () => get("/api/v1/accounts.csv")],
  [
    1,
    ({ random }) =>
      post("/v1/identify", {
        userId: `user-${random.below(2_000)}`,
        traits: { email: `u${random.below(2_000)}@example.com` },
      }),
  ],
  [1, () => ({ ...get(`${accounts}/1?unknown=1`), status: 400 })],
  [1, () => ({ ...get(`${accounts}/9007199254740991`), status: 404 })],
  [1, () => ({ ...post(accounts, { name: 1 }), status: 400 })],
];
const tickets = kinds.flatMap(([count, choose]) => Array.from({ length: count }, () => choose));

const upsertedId = (random: Random) => `upserted-${random.below(accountCount)}`;
const get = (path: string): Call => ({ method: "GET", path });
const post = (path: string, body: unknown): Call => ({ method: "POST", path, body });
const patch = (id: number, body: unknown): Call => ({ method: "PATCH", path: `${accounts}/${id}`, body });
const newAccount = ({ random, createdCount }: Client) => ({
  name: `${random.of(words)} ${random.of(words)} ${createdCount}`,
  externalId: `soak-${createdCount}`,
  mrr: random.below(10_000),
  status: random.of(statuses),
  contactEmail: `c${createdCount}@example.com`,
});

/** Creates an account, or deletes the oldest one when there are enough. */
function replaceAccount(client: Client): Call {
  const oldest = client.ids.length >= accountCount ? client.ids.shift() : undefined;
  if (oldest !== undefined) return { method: "DELETE", path: `${accounts}/${oldest}` };
  client.createdCount += 1;
  return post(accounts, newAccount(client));
}

/** Many combinations of filters, orders and pages: each combination is another statement. */
function list({ random }: Client): Call {
  const filters = [
    `status=${random.of(statuses)}`,
    `mrr.gte=${random.below(5_000)}`,
    `sortBy=${random.of(orders)}`,
    `pageSize=${1 + random.below(100)}`,
    `include=${random.of(["contacts", "health"])}`,
  ].filter(() => random.next() < 0.5);
  return get(`${accounts}?${filters.join("&")}`);
}

function sendEvents(client: Client): Call {
  const event = () => ({
    event: client.random.of(["login", "export", "report"]),
    externalId: upsertedId(client.random),
    userId: `user-${client.random.below(2_000)}`,
  });
  return post("/api/v1/events", { events: Array.from({ length: 50 }, event) });
}

function sendBatch({ random, ids }: Client): Call {
  const operation = () => ({
    method: "PATCH",
    path: `${accounts}/${random.of(ids)}`,
    body: { mrr: random.below(10_000) },
  });
  return post("/api/v1/batch", { mode: "partial", operations: Array.from({ length: 20 }, operation) });
}

function upsert(client: Client): Call {
  const ids = new Set(Array.from({ length: 20 }, () => upsertedId(client.random)));
  return post("/api/v1/accounts/batch", {
    accounts: [...ids].map((externalId) => ({ ...newAccount(client), externalId })),
  });
}

/** Creates accounts until there are enough. */
export async function createAccounts(client: Client, counts: Map<string, number>): Promise<void> {
  while (client.ids.length < accountCount) await send(client, replaceAccount(client), counts);
}

/** Sends a random request. */
export const sendOne = (client: Client, counts: Map<string, number>): Promise<void> =>
  send(client, client.random.of(tickets)(client), counts);

/**
 * Sends a request and reads the whole response. Counts its status, or an unexpected failure with the request and the
 * beginning of the response. An account can be deleted by another worker meanwhile.
 */
async function send(
  client: Client,
  { method, path, body, status: expected }: Call,
  counts: Map<string, number>,
) {
  const response = await fetch(client.url + path, {
    method,
    headers: { "x-api-key": client.key, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const { status } = response;
  if (method === "POST" && path === accounts && status === 201) client.ids.push(JSON.parse(text).data.id);
  const isExpected = expected === undefined ? status < 300 || status === 404 : status === expected;
  const name = isExpected
    ? String(status)
    : `${status} ${method} ${path.replace(/\d+/g, "1")}: ${text.slice(0, 300)}`;
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
