import type { Operation } from "../hostile/document.ts";
import type { PathIds } from "./large-replies-data.ts";
import type { LoadRequest } from "./large-replies-load.ts";
import type { ReplyLimits, ReplyRow } from "./large-replies-rows.ts";

const connections = 64;
const exportConnections = 128;
/** The limits of requests with few rows or in fair turns with others. */
const fair: ReplyLimits = { get: 25, patch: 60, livez: 10 };
/** The replies of the 64 connections that are sent before the one of another organization. */
const maxOvertaking = 16;
/** The operations of the short form, which checks the order of the replies. */
const shortPaths = ["/api/v1/accounts", "/api/v1/changes"];
/** The parameters with the number of rows of a page. */
const sizes = ["pageSize", "limit"];

/** Every GET operation of the OpenAPI document, with its largest page, and others on small rows. */
export function smallRowRows(operations: readonly Operation[]): readonly ReplyRow[] {
  const gets = operations.filter(({ method }) => method === "GET");
  return [
    ...gets.map((operation) => {
      const isShort = shortPaths.includes(operation.path);
      return {
        name: `GET ${operation.path}`,
        connections,
        requests: (ids: PathIds) => [requestOf(operation, ids)],
        limits: { ...fair, ...(isShort && { overtaking: maxOvertaking }) },
        isShort,
      };
    }),
    read("100 changes", "/api/v1/changes?limit=100"),
    read("changes of contacts", "/api/v1/changes?limit=1000&resource=contact"),
    read("accounts in gzip", "/api/v1/accounts?pageSize=100", { "accept-encoding": "gzip" }),
    { ...read("128 exports", "/api/v1/accounts.csv"), connections: exportConnections },
    ...[100, 1_000].flatMap((count) => [
      write(`batches of ${count} creates`, count, "/api/v1/batch", createBatch(count)),
      write(`${count} events`, count, "/api/v1/events", { events: eventsOf(count) }),
    ]),
  ];
}

function requestOf({ path, parameters }: Operation, ids: PathIds): LoadRequest {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    if (ids[name] === undefined) throw new Error(`no ${name} for ${path}`);
    return String(ids[name]);
  });
  const pages = parameters.filter(({ name }) => sizes.includes(name));
  const query = pages.map(({ name, schema }) => `?${name}=${schema.maximum}`).join();
  return { method: "GET", path: filled + query };
}

function read(name: string, path: string, headers: Record<string, string> = {}): ReplyRow {
  return { name, connections, requests: () => [{ method: "GET", path, headers }], limits: fair };
}

/** Writes of up to 100 rows take turns with other writes. A larger one delays them. */
function write(name: string, count: number, path: string, body: object): ReplyRow {
  const request = { method: "POST", path, body: JSON.stringify(body) };
  return { name, connections, requests: () => [request], limits: { patch: count > 100 ? 250 : 60 } };
}

function createBatch(count: number): object {
  const operations = Array.from({ length: count }, (_, i) => ({
    method: "POST",
    path: "/api/v1/accounts",
    body: { name: `Created ${i}` },
  }));
  return { mode: "partial", operations };
}

function eventsOf(count: number): object[] {
  return Array.from({ length: count }, (_, i) => ({
    event: "opened",
    externalId: `x-${i}`,
    userId: `u${i}`,
  }));
}
