import { fold } from "../../../src/core/folding.ts";
import { membersOfListed, prepare, type Shown, type Sql, shown } from "./database.ts";

// One statement, in which SQLite writes the lists as they are replied. A bare ? beside an ORDER BY would have it
// planned anew at every run, at the cost of the run and more: so each is cast.
const accountWithLists = prepare<[contacts: string, meetings: string, requests: string, ...Shown]>(
  `SELECT
     ${listOf("'id', id, 'name', name, 'email', email", "contacts WHERE account_id = accounts.id ORDER BY id LIMIT 100")},
     ${listOf(
       `'id', id, 'title', title, 'startAt', ${iso("start_at")}, 'endAt', ${iso("end_at")}`,
       `meetings WHERE account_id = accounts.id AND start_at <= ${integer("?3")} ORDER BY start_at DESC, id DESC LIMIT 20`,
     )},
     ${listOf(
       `'id', id, 'title', title, 'status', status, 'severity', severity, 'requestedAt', ${iso("requested_at")}`,
       "requests WHERE account_id = accounts.id ORDER BY requested_at DESC, id DESC LIMIT 100",
     )},
     ${shown}
   FROM accounts WHERE organization_id = ${integer("?1")} AND id = ${integer("?2")}`,
);

function listOf(members: string, from: string): string {
  return `(SELECT json_group_array(json_object(${members})) FROM (SELECT * FROM ${from}))`;
}

function integer(input: string): string {
  return `cast(${input} as integer)`;
}

function iso(column: string): string {
  return `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;
}

/** The reply; empty when there is no such account. */
export function getAccount(organizationId: number, id: number): string {
  const [row] = accountWithLists.values(organizationId, id, Date.now());
  if (!row) return "";
  const [contacts, meetings, requests, ...account] = row;
  return `{"data":{${membersOfListed(account)},"contacts":${contacts},"meetings":${meetings},"requests":${requests}}}`;
}

const orders: Readonly<Record<string, string>> = {
  name: "folded_name",
  mrr: "mrr",
  createdAt: "created_at",
  updatedAt: "updated_at",
};
const filters = { status: "status", externalId: "external_id" };
const lists = new Map<string, Sql<Shown>>();

/** The reply, whose total is left at 0. */
export function listAccounts(organizationId: number, query: URLSearchParams): string {
  const [page, pageSize] = [Number(query.get("page") ?? 1), Number(query.get("pageSize") ?? 25)];
  const where = [`organization_id = ${integer("?")}`];
  const values: (string | number)[] = [organizationId];
  for (const [name, column] of Object.entries(filters)) {
    const value = query.get(name);
    if (value === null) continue;
    where.push(`${column} = cast(? as text)`);
    values.push(value);
  }
  const search = fold(query.get("search") ?? "");
  if (search !== "") {
    where.push("(instr(folded_name, cast(? as text)) > 0 OR instr(folded_external_id, cast(? as text)) > 0)");
    values.push(search, search);
  }
  const [column, order] = [orders[query.get("sortBy") ?? "name"], query.get("sortOrder") ?? "asc"];
  const sql = `SELECT ${shown} FROM accounts WHERE ${where.join(" AND ")}
    ORDER BY ${column} ${order}, id ${order} LIMIT ${integer("?")} OFFSET ${integer("?")}`;
  const list = lists.get(sql) ?? prepare<Shown>(sql);
  lists.set(sql, list);
  const rows = list.values(...values, pageSize, (page - 1) * pageSize);
  const data = rows.map((row) => `{${membersOfListed(row)}}`).join();
  return `{"data":[${data}],"pagination":{"page":${page},"pageSize":${pageSize},"total":0,"totalPages":0,"hasNextPage":${rows.length === pageSize},"hasPrevPage":${page > 1}}}`;
}
