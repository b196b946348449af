import type { PathIds } from "./large-replies-data.ts";
import type { LoadRequest } from "./large-replies-load.ts";
import type { QuietCall } from "./large-replies-quiet.ts";

/** The p99 of another organization's requests in milliseconds, and the median of the replies before its reply. */
export type ReplyLimits = Partial<Record<QuietCall, number>> & { megabytes?: number; overtaking?: number };

/** Requests that connections of one organization send. */
export type ReplyRow = {
  name: string;
  connections: number;
  requests: (ids: PathIds) => readonly LoadRequest[];
  limits: ReplyLimits;
  /** Whether the short form sends it. */
  isShort?: boolean;
  /** Whether the connections do not receive the replies. */
  isStalled?: boolean;
  /** The load ends after this many replies. */
  maxReplies?: number;
  /** The maximum bytes by which a request may increase the database. */
  maxGrowth?: number;
  /** Whether a reply omits the results of a batch after `maxBatchBytes`. */
  omitsResults?: boolean;
};

/** Of the results of a batch, and few more for those without a body. */
export const maxBatchBytes = 4.2 * 1_048_576;
const operationCount = 1_000;
const memory = { megabytes: 250, patch: 250 };
/** Also the order of replies, of which each occupies the serving thread for milliseconds. */
const memoryAndOrder = { ...memory, overtaking: 12 };

const get = (path: string, headers: Record<string, string> = {}): LoadRequest => ({
  method: "GET",
  path: `/api/v1/${path}`,
  headers,
});
const gzip = { "accept-encoding": "gzip" };
const page = "accounts?pageSize=100&sortBy=createdAt&sortOrder=asc";
const allMembers = "include=status,health,contactActivity,contacts,meetings,requests,attributes";
const changes = () => [get("changes")];
const pages = () => [get(`${page}&include=attributes`), get(`${page}&include=attributes&cursor=`)];
const wholePages = () => [get(`${page}&${allMembers}`), get(`${page}&${allMembers}&cursor=`)];

/** Operations that each change the same contact. */
function contactBatch({ contactId }: PathIds): LoadRequest {
  const path = `/api/v1/contacts/${contactId}`;
  const operations = Array.from({ length: operationCount }, (_, i) => ({
    method: "PATCH",
    path,
    body: { name: `Contact ${i}` },
  }));
  return { method: "POST", path: "/api/v1/batch", body: JSON.stringify({ mode: "partial", operations }) };
}

/** Rows with attributes of 32 KiB. */
export const largeRowRows: readonly ReplyRow[] = [
  { name: "changes", connections: 16, requests: changes, limits: memoryAndOrder, isShort: true },
  {
    name: "unread changes",
    connections: 16,
    requests: changes,
    limits: memory,
    isStalled: true,
    isShort: true,
  },
  {
    name: "unread exports",
    connections: 16,
    requests: () => [get("accounts.jsonl")],
    limits: memory,
    isStalled: true,
  },
  { name: "unread pages", connections: 16, requests: wholePages, limits: memory, isStalled: true },
  {
    name: "changes in gzip",
    connections: 8,
    requests: () => [get("changes", gzip)],
    limits: memory,
    isShort: true,
  },
  ...[16, 64].flatMap((connections) => [
    { name: `${connections} pages`, connections, requests: pages, limits: memoryAndOrder },
    {
      name: `${connections} pages with all members`,
      connections,
      requests: wholePages,
      limits: memory,
    },
  ]),
  {
    name: "batches of one contact",
    connections: 16,
    requests: (ids) => [contactBatch(ids)],
    limits: memory,
    omitsResults: true,
    isShort: true,
  },
  {
    name: "batches with Idempotency-Key",
    connections: 4,
    requests: (ids) => [{ ...contactBatch(ids), hasNewKey: true }],
    limits: memory,
    maxReplies: 8,
    maxGrowth: 1_000_000,
    omitsResults: true,
    isShort: true,
  },
];
