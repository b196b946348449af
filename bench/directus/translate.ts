import { fold } from "../../src/core/folding.ts";
import type { BenchRequest } from "../requests.ts";

const shown = "id,name,external_id,mrr,status,logo_url,created_at,updated_at";
const embedded = [
  "contacts.id,contacts.name,contacts.email",
  "meetings.id,meetings.title,meetings.start_at,meetings.end_at",
  "requests.id,requests.title,requests.status,requests.severity,requests.requested_at",
];
const deep = {
  contacts: { _sort: ["id"], _limit: 100 },
  meetings: { _filter: { start_at: { _lte: "$NOW" } }, _sort: ["-start_at", "-id"], _limit: 20 },
  requests: { _sort: ["-requested_at", "-id"], _limit: 100 },
};
const one = new URLSearchParams({ fields: [shown, ...embedded].join(), deep: JSON.stringify(deep) });
const changed = `?fields=${shown},contact_activity_at`;

/** The request with the paths, parameters and bodies of Directus. */
export function translate(request: BenchRequest): BenchRequest {
  const { method, path, body } = request;
  const match = /^\/api\/v1\/accounts(?:\/(\d+))?(?:\?(.*))?$/.exec(path);
  if (!match) throw new Error(`Directus has no ${path}`);
  const [, id, query] = match;
  const items = id === undefined ? "/items/accounts" : `/items/accounts/${id}`;
  if (body !== undefined) return { ...request, path: items + changed, body: itemOf(method, body) };
  return { ...request, path: `${items}?${id === undefined ? listOf(new URLSearchParams(query)) : one}` };
}

const orders: Record<string, string> = {
  name: "folded_name",
  mrr: "mrr",
  createdAt: "created_at",
  updatedAt: "updated_at",
};

/** Stored names are folded, so the needle is folded too. Directus does not escape LIKE's % and _. */
function listOf(query: URLSearchParams): URLSearchParams {
  const value = (name: string) => query.get(name) || undefined;
  const [order, sign] = [orders[value("sortBy") ?? "name"], value("sortOrder") === "desc" ? "-" : ""];
  const filters: object[] = [];
  const [search, status, externalId] = [value("search"), value("status"), value("externalId")];
  if (search) {
    const isIn = { _contains: fold(search) };
    filters.push({ _or: [{ folded_name: isIn }, { folded_external_id: isIn }] });
  }
  if (status) filters.push({ status: { _eq: status } });
  if (externalId) filters.push({ external_id: { _eq: externalId } });
  return new URLSearchParams({
    fields: shown,
    limit: value("pageSize") ?? "25",
    page: value("page") ?? "1",
    sort: `${sign}${order},${sign}id`,
    meta: "filter_count",
    ...(filters.length > 0 && { filter: JSON.stringify({ _and: filters }) }),
  });
}

type Body = {
  name?: string;
  externalId?: string | null;
  mrr?: number;
  status?: string;
  logoUrl?: string | null;
  contactActivityAt?: string | null;
  contactName?: string;
  contactEmail?: string;
};

function itemOf(method: string, body: string): string {
  // Safe: `requests` and `checkRequests` wrote the body.
  const { name, externalId, contactActivityAt, logoUrl, mrr, status, contactName, contactEmail } = JSON.parse(
    body,
  ) as Body;
  const contact = contactName ?? contactEmail;
  const isNew = method === "POST";
  return JSON.stringify({
    ...(name !== undefined && { name, folded_name: fold(name) }),
    ...(externalId !== undefined && {
      external_id: externalId || null,
      folded_external_id: externalId ? fold(externalId) : null,
    }),
    ...((mrr !== undefined || isNew) && { mrr: mrr ?? 0 }),
    ...((status !== undefined || isNew) && { status: status ?? "active" }),
    ...(logoUrl !== undefined && { logo_url: logoUrl }),
    ...(contactActivityAt !== undefined && { contact_activity_at: contactActivityAt }),
    ...(contact !== undefined && { contacts: [{ name: contact, email: contactEmail ?? null }] }),
  });
}
