import { Database } from "bun:sqlite";
import type { CheckRequest } from "../check-requests.ts";
import { type Contestant, sentTo } from "../contestants.ts";
import type { CheckedReply } from "../replies.ts";

/** False for invalid requests, which Directus rejects differently, for events, and for LIKE's wildcards, which it does not escape. */
export function isComparedByFacts({ isInvalid, path }: CheckRequest): boolean {
  const search = new URLSearchParams(path.split("?")[1]).get("search") ?? "";
  return !isInvalid && !path.endsWith("/events") && !/[%_\\]/.test(search);
}

/** The facts of a reply, independent of its format: the accounts in order, their total, and what they embed. */
export async function factOf(
  contestant: Contestant,
  port: number,
  request: CheckRequest,
): Promise<CheckedReply> {
  const { method, path, header, body } = sentTo(contestant, request);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: [header, ["content-type", "application/json"]],
    ...(body && { body }),
  });
  const text = await response.text();
  const requestText = `${request.method} ${request.path} ${request.body?.slice(0, 200) ?? ""}`;
  // Safe: both reply in this format. Statuses of rejections differ, so only faults are compared.
  const facts = response.ok ? factsIn(JSON.parse(text) as Reply) : rejectionOf(response.status, text);
  return { request: requestText, reply: facts };
}

/** The newest accounts and contacts, as they are stored. */
export function storedIn(file: string): CheckedReply {
  const database = new Database(file);
  const last = (columns: string, table: string) =>
    database.query(`SELECT ${columns} FROM ${table} ORDER BY id DESC LIMIT 8`).values();
  const reply = JSON.stringify([
    last("id, organization_id, name, folded_name, external_id, mrr, status", "accounts"),
    last("id, account_id, name, email", "contacts"),
  ]);
  database.close();
  return { request: "accounts and contacts", reply };
}

type Embedded = { id: number }[];
type Account = {
  id: number;
  name: string;
  mrr: number;
  /** The member of accountd, or that of Directus. */
  externalId?: string | null;
  external_id?: string | null;
  contacts?: Embedded;
  meetings?: Embedded;
  requests?: Embedded;
};
type Reply = {
  data: Account | Account[];
  pagination?: { total: number };
  meta?: { filter_count: number };
};

function factsIn({ data, pagination, meta }: Reply): string {
  const ids = (list: Embedded | undefined) => list?.map(({ id }) => id) ?? [];
  const accounts = [data].flat().map((account) => {
    const { id, name, mrr, externalId, external_id, contacts, meetings, requests } = account;
    return [id, name, mrr, externalId ?? external_id ?? null, ...[contacts, meetings, requests].map(ids)];
  });
  return JSON.stringify({ total: pagination?.total ?? meta?.filter_count, accounts });
}

function rejectionOf(status: number, text: string): string {
  return status < 500 && status !== 429 ? "rejected" : `${status} ${text.slice(0, 300)}`;
}
