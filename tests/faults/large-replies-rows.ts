import type { PathIds } from "./large-replies-data.ts";
import { loadRequest, newKey } from "./load.ts";
import type { QuietCall } from "./quiet-client.ts";

/** The p99 of another organization's requests in milliseconds, and the median of the replies before its reply. */
type ReplyLimits = Partial<Record<QuietCall, number>> & { megabytes?: number; overtaking?: number };
/** The key of a request, and ids for its path by the names of the parameters. */
export type Target = { key: string; ids: PathIds };

/** Requests that connections of one organization send. */
export type ReplyRow = {
  name: string;
  connections: number;
  requests: (target: Target) => readonly string[];
  limits: ReplyLimits;
  /** Whether the short form sends it. */
  isShort?: boolean;
  /** Whether the measurement begins before the first reply. */
  isMeasuredFirst?: boolean;
  /** The status, with the code of the problem, of the replies where a success is not right. */
  refusal?: string;
  /** Statuses of replies to repeated requests. */
  otherStatuses?: readonly string[];
  /** Whether more requests arrive than may wait, so that some are 503. */
  isLimited?: boolean;
  /** Whether the connections do not receive the replies. */
  isStalled?: boolean;
  /** The load ends after this many replies. */
  maxReplies?: number;
  /** The maximum bytes by which a request may increase the database. */
  maxGrowth?: number;
  /** The largest reply in bytes. */
  maxReplyBytes?: number;
  /** Whether the requests are `contactBatch`, whose reply omits results after `maxReplyBytes`. */
  omitsResults?: boolean;
};

/** Of the results of a batch, and few more for those without a body. */
const maxBatchBytes = 4.2 * 1_048_576;
const maxPageBytes = 2_097_152;
const operationCount = 1_000;
const memory = { megabytes: 250, patch: 250 };
/** Also the order of replies, of which each occupies the serving thread for milliseconds. */
const memoryAndOrder = { ...memory, overtaking: 12 };

export const requestsOf =
  (path: string, headers: Record<string, string> = {}) =>
  ({ key }: Target) => [loadRequest(key, "GET", path, { headers })];
export const get = (path: string, headers?: Record<string, string>) => requestsOf(`/api/v1/${path}`, headers);
export const post =
  (path: string, body: object) =>
  ({ key }: Target) => [loadRequest(key, "POST", `/api/v1/${path}`, { body: JSON.stringify(body) })];
const pageOf = (members: string) => `accounts?pageSize=100&sortBy=createdAt&sortOrder=asc&include=${members}`;
/** The same page by number and by cursor. */
const pages = (members: string) => (target: Target) =>
  [get(pageOf(members)), get(`${pageOf(members)}&cursor=`)].flatMap((make) => make(target));
const allMembers = "status,health,contactActivity,contacts,meetings,requests,attributes";

/** Operations that each change the same contact. */
export function contactBatch({ contactId }: PathIds): object {
  const path = `/api/v1/contacts/${contactId}`;
  const operations = Array.from({ length: operationCount }, (_, i) => ({
    method: "PATCH",
    path,
    body: { name: `Contact ${i}` },
  }));
  return { mode: "partial", operations };
}
const batchOf =
  (headers: Record<string, string> = {}) =>
  ({ key, ids }: Target) => [
    loadRequest(key, "POST", "/api/v1/batch", { body: JSON.stringify(contactBatch(ids)), headers }),
  ];

/** Rows with attributes of 32 KiB. */
export const largeRowRows: readonly ReplyRow[] = [
  {
    name: "changes",
    connections: 16,
    requests: get("changes"),
    limits: memoryAndOrder,
    maxReplyBytes: maxPageBytes,
    isShort: true,
  },
  ...[
    { name: "unread changes", connections: 16, requests: get("changes"), isShort: true },
    { name: "unread exports", connections: 16, requests: get("accounts.jsonl") },
    { name: "unread pages", connections: 64, requests: pages(allMembers) },
  ].map((row) => ({ ...row, limits: memory, isStalled: true })),
  {
    name: "changes in gzip",
    connections: 8,
    requests: get("changes", { "accept-encoding": "gzip" }),
    limits: memory,
    isShort: true,
  },
  { name: "pages", connections: 64, requests: pages("attributes"), limits: memoryAndOrder },
  { name: "pages with all members", connections: 64, requests: pages(allMembers), limits: memory },
  {
    name: "pages over 8 MiB",
    connections: 64,
    requests: get(`${pageOf(allMembers)}&page=2`),
    limits: memory,
    refusal: "400 response_too_large",
  },
  {
    name: "batches of one contact",
    connections: 16,
    requests: batchOf(),
    limits: memory,
    omitsResults: true,
    maxReplyBytes: maxBatchBytes,
    isShort: true,
  },
  {
    name: "batches with Idempotency-Key",
    connections: 4,
    requests: batchOf({ "idempotency-key": newKey }),
    limits: memory,
    maxReplies: 8,
    maxGrowth: 1_000_000,
    omitsResults: true,
    maxReplyBytes: maxBatchBytes,
    isShort: true,
  },
];

const connections = 64;
/** The limits of requests with few rows or in fair turns with others. */
export const fair: ReplyLimits = { get: 25, patch: 60, livez: 10 };
/**
 * The replies of the 64 connections that are sent before the one of another organization: half of a round. In the order of
 * arrival it is a round at least. A faster processor sends more of them in a turn of 1 ms.
 */
export const fairAndOrder = { ...fair, overtaking: connections / 2 };
const created = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    method: "POST",
    path: "/api/v1/accounts",
    body: { name: `Created ${i}` },
  }));
const events = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    event: "opened",
    externalId: `x-${i}`,
    userId: `u${i}`,
  }));
const read = (name: string, path: string, headers?: Record<string, string>): ReplyRow => ({
  ...{ name, connections, requests: get(path, headers), limits: fair },
});

/** Small rows. A write of more than 100 rows delays others. */
export const smallRowRows: readonly ReplyRow[] = [
  read("100 changes", "changes?limit=100"),
  read("changes of contacts", "changes?limit=1000&resource=contact"),
  read("accounts in gzip", "accounts?pageSize=100", { "accept-encoding": "gzip" }),
  { ...read("128 exports", "accounts.csv"), connections: 128 },
  { ...read("400 exports", "accounts.csv"), connections: 400 },
  ...[100, operationCount].flatMap((count) => {
    const limits = { patch: count > 100 ? 250 : 60 };
    const operations = created(count);
    return [
      {
        ...{ name: `batches of ${count} creates`, connections, limits },
        requests: post("batch", { mode: "partial", operations }),
      },
      { name: `${count} events`, connections, limits, requests: post("events", { events: events(count) }) },
    ];
  }),
];
