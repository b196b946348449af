import { Database } from "bun:sqlite";
import type { Answer } from "../check.ts";
import { type Contestant, sentTo } from "../contestants.ts";
import type { Question } from "../questions.ts";

/** Not what has to be refused, each in its own way; nor events; nor LIKE's own characters, which Directus leaves. */
export function isAskedForFacts({ isWrong, path }: Question): boolean {
  const search = new URLSearchParams(path.split("?")[1]).get("search") ?? "";
  return !isWrong && !path.endsWith("/events") && !/[%_\\]/.test(search);
}

/** What an answer says, whatever its shape: which accounts in which order, how many in all, and what they embed. */
export async function factOf(contestant: Contestant, port: number, question: Question): Promise<Answer> {
  const { method, path, header, body } = sentTo(contestant, question);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: [header, ["content-type", "application/json"]],
    ...(body && { body }),
  });
  const text = await response.text();
  const asked = `${question.method} ${question.path} ${question.body?.slice(0, 200) ?? ""}`;
  // Safe: both answer so. What is refused is so with statuses of one's own; but a fault is no refusal.
  const said = response.ok ? factsIn(JSON.parse(text) as Reply) : refusalOf(response.status, text);
  return { asked, said };
}

/** The accounts and contacts that came last, as the database has them. */
export function storedIn(file: string): Answer {
  const database = new Database(file);
  const last = (columns: string, table: string) =>
    database.query(`SELECT ${columns} FROM ${table} ORDER BY id DESC LIMIT 8`).values();
  const said = JSON.stringify([
    last("id, organization_id, name, folded_name, external_id, mrr, status", "accounts"),
    last("id, account_id, name, email", "contacts"),
  ]);
  database.close();
  return { asked: "accounts and contacts", said };
}

type Embedded = { id: number }[];
type Account = {
  id: number;
  name: string;
  mrr: number;
  /** accountd's, or else Directus's. */
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

function refusalOf(status: number, text: string): string {
  return status < 500 && status !== 429 ? "refused" : `${status} ${text.slice(0, 300)}`;
}
