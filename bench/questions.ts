import { type Asked, asked } from "./asked.ts";
import { externalIdOf } from "./companies.ts";
import type { Data, Org } from "./data.ts";

/** A request of the check. An invalid one must be rejected for its content. */
export type Question = Omit<Asked, "method"> & { method: Asked["method"]; isWrong?: boolean };

const path = "/api/v1/accounts";
const get = ({ key }: Org, path: string): Question => ({ method: "GET", path, key });
const post = ({ key }: Org, body: object): Question => json("POST", path, key, body);
const patch = ({ key }: Org, id: number, body: object): Question => json("PATCH", `${path}/${id}`, key, body);
const wrong = (question: Question): Question => ({ ...question, isWrong: true });

function json(method: "POST" | "PATCH", path: string, key: string, body: object): Question {
  return { method, path, key, body: JSON.stringify(body) };
}

/** Requests of every work, requests with likely differences, and then the changes. */
export function questions({ organizations }: Data): Question[] {
  const { large, medium, small } = organizations;
  return [large, medium, ...small.slice(0, 1)].flatMap(reads).concat(refusals(large, medium), changes(large));
}

function reads(org: Org): Question[] {
  const { frequent, rare, absent, letter } = org.needles;
  const list = (query: string) => get(org, `${path}?${query}`);
  const known = [0, 1, 2, 3].map((index) => externalIdOf(org.id, index)).find((id) => id !== null) ?? "";
  return [
    ...[0, 1, 2, 3, 4].map((n) => asked.getOne(org, n)),
    ...[1, 2, org.accounts].map((page) => asked.list(org, page)),
    ...["name", "mrr", "createdAt", "updatedAt"].flatMap((sortBy) =>
      ["asc", "desc"].map((order) => list(`sortBy=${sortBy}&sortOrder=${order}&pageSize=100`)),
    ),
    ...["active", "onboarding", "churned", "inactive"].map((status) => list(`status=${status}`)),
    asked.rareStatus(org),
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
    ].map((needle) => asked.search(org, needle)),
    list(`search=${rare}&status=active&sortBy=mrr`),
    list(`search=${letter}&page=2&sortOrder=desc`),
    list("search="),
    list(`externalId=${encodeURIComponent(known)}`),
    list("externalId=nobody"),
  ];
}

function refusals(org: Org, other: Org): Question[] {
  return [
    get({ ...org, key: "" }, path),
    get({ ...org, key: `${org.key.slice(0, -1)}.` }, path),
    get(org, `${path}/${other.firstAccountId}`),
    patch(org, other.firstAccountId, { mrr: 1 }),
    get(org, `${path}/999999999`),
    ...["page=0", "pageSize=101", "status=new", "sortBy=id", "sortOrder=up"].map((query) =>
      wrong(get(org, `${path}?${query}`)),
    ),
    ...[{}, { name: "" }, { name: " " }, { name: "x", externalId: 5 }, { name: "x", contactEmail: "x" }].map(
      (body) => wrong(post(org, body)),
    ),
    ...[{}, { unknown: 1 }, { contactActivityAt: "yesterday" }, { contactActivityAt: "2999-01-01" }].map(
      (body) => wrong(patch(org, org.firstAccountId, body)),
    ),
    wrong({ ...post(org, {}), body: "{" }),
  ];
}

function changes(org: Org): Question[] {
  const [id, next] = [org.firstAccountId, org.firstAccountId + 1];
  const [some, more] = [asked.events(org, 0), asked.events(org, 1)];
  return [
    asked.create(org, 0, "check"),
    asked.create(org, 0, "check"),
    post(org, { name: "Éclair SA", externalId: "", mrr: 1250.5, status: "onboarding", unknown: true }),
    post(org, { name: "Ada's", contactName: "Ada Lovelace", contactEmail: "ada@example.com" }),
    post(org, { name: "Grace's", contactEmail: "grace@example.com" }),
    get(org, `${path}?search=check-0`),
    get(org, `${path}?sortBy=createdAt&sortOrder=desc&pageSize=4`),
    asked.update(org, 0),
    asked.update(org, 0),
    asked.update(org, 1),
    patch(org, id, { name: "ÉCLAIR", externalId: "Check-1", status: "churned" }),
    patch(org, id, { logoUrl: "https://example.com/a.png", contactActivityAt: "2025-01-02" }),
    patch(org, next, { externalId: "Check-1" }),
    patch(org, next, { externalId: null, contactActivityAt: null, logoUrl: null }),
    patch(org, next, { externalId: "" }),
    get(org, `${path}/${id}`),
    get(org, `${path}?search=eclair`),
    get(org, `${path}?search=CHECK-1`),
    some,
    some,
    more,
  ];
}
