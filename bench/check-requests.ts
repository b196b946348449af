import { externalIdOf } from "./companies.ts";
import type { Org } from "./data.ts";
import { type BenchRequest, requests } from "./requests.ts";
import type { Organizations } from "./work.ts";

/** A request of the check. An invalid one must be rejected for its content. */
export type CheckRequest = Omit<BenchRequest, "method"> & {
  method: BenchRequest["method"];
  isInvalid?: boolean;
};

const path = "/api/v1/accounts";
const get = ({ key }: Org, path: string): CheckRequest => ({ method: "GET", path, key });
const post = ({ key }: Org, body: object): CheckRequest => json("POST", path, key, body);
const patch = ({ key }: Org, id: number, body: object): CheckRequest =>
  json("PATCH", `${path}/${id}`, key, body);
const invalid = (request: CheckRequest): CheckRequest => ({ ...request, isInvalid: true });

function json(method: "POST" | "PATCH", path: string, key: string, body: object): CheckRequest {
  return { method, path, key, body: JSON.stringify(body) };
}

/** The reads of every work, requests that are likely to differ, rejected requests, and then the changes. */
export function checkRequests({ organizations }: Organizations): CheckRequest[] {
  const { large, medium, small } = organizations;
  return [large, medium, ...small.slice(0, 1)]
    .flatMap(reads)
    .concat(rejectedRequests(large, medium), changes(large));
}

function reads(org: Org): CheckRequest[] {
  const { frequent, rare, absent, letter } = org.needles;
  const list = (query: string) => get(org, `${path}?${query}`);
  const existingId = [0, 1, 2, 3].map((index) => externalIdOf(org.id, index)).find((id) => id !== null) ?? "";
  return [
    ...[0, 1, 2, 3, 4].map((n) => requests.getOne(org, n)),
    ...[1, 2, org.accounts].map((page) => requests.list(org, page)),
    ...["name", "mrr", "createdAt", "updatedAt"].flatMap((sortBy) =>
      ["asc", "desc"].map((order) => list(`sortBy=${sortBy}&sortOrder=${order}&pageSize=100`)),
    ),
    ...["active", "onboarding", "churned", "inactive"].map((status) => list(`status=${status}`)),
    requests.rareStatus(org),
    ...[
      frequent,
      rare,
      absent,
      letter,
      frequent.toUpperCase(),
      rare.slice(1, 4),
      "É",
      "%",
      "_",
      "\\",
      "'",
    ].map((needle) => requests.search(org, needle)),
    list(`search=${rare}&status=active&sortBy=mrr`),
    list(`search=${letter}&page=2&sortOrder=desc`),
    list("search="),
    list(`externalId=${encodeURIComponent(existingId)}`),
    list("externalId=nobody"),
  ];
}

function rejectedRequests(org: Org, other: Org): CheckRequest[] {
  return [
    get({ ...org, key: "" }, path),
    get({ ...org, key: `${org.key.slice(0, -1)}.` }, path),
    get(org, `${path}/${other.firstAccountId}`),
    patch(org, other.firstAccountId, { mrr: 1 }),
    get(org, `${path}/999999999`),
    ...["page=0", "pageSize=101", "status=new", "sortBy=id", "sortOrder=up"].map((query) =>
      invalid(get(org, `${path}?${query}`)),
    ),
    ...[{}, { name: "" }, { name: " " }, { name: "x", externalId: 5 }, { name: "x", contactEmail: "x" }].map(
      (body) => invalid(post(org, body)),
    ),
    ...[{}, { unknown: 1 }, { contactActivityAt: "yesterday" }, { contactActivityAt: "2999-01-01" }].map(
      (body) => invalid(patch(org, org.firstAccountId, body)),
    ),
    invalid({ ...post(org, {}), body: "{" }),
  ];
}

function changes(org: Org): CheckRequest[] {
  const [id, next] = [org.firstAccountId, org.firstAccountId + 1];
  const [firstEvents, moreEvents] = [requests.events(org, 0), requests.events(org, 1)];
  return [
    requests.create(org, 0, "check"),
    requests.create(org, 0, "check"),
    post(org, { name: "Éclair SA", externalId: "", mrr: 1250.5, status: "onboarding", unknown: true }),
    post(org, { name: "Ada's", contactName: "Ada Lovelace", contactEmail: "ada@example.com" }),
    post(org, { name: "Grace's", contactEmail: "grace@example.com" }),
    get(org, `${path}?search=check-0`),
    get(org, `${path}?sortBy=createdAt&sortOrder=desc&pageSize=4`),
    requests.update(org, 0),
    requests.update(org, 0),
    requests.update(org, 1),
    patch(org, id, { name: "ÉCLAIR", externalId: "Check-1", status: "churned" }),
    patch(org, id, { logoUrl: "https://example.com/a.png", contactActivityAt: "2025-01-02" }),
    patch(org, next, { externalId: "Check-1" }),
    patch(org, next, { externalId: null, contactActivityAt: null, logoUrl: null }),
    patch(org, next, { externalId: "" }),
    get(org, `${path}/${id}`),
    get(org, `${path}?search=eclair`),
    get(org, `${path}?search=CHECK-1`),
    firstEvents,
    firstEvents,
    moreEvents,
  ];
}
