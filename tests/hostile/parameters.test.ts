import { expect, test } from "bun:test";
import { world } from "../support/world.ts";
import { faultsOf, marker, type Probe } from "./probes.ts";
import { existing, furnish, routesOf } from "./routes.ts";

/** The lists, and the enumerated parameters of each. */
const lists: Record<string, Record<string, string[]>> = {
  "/api/v1/accounts": {
    status: ["Active", "ACTIVE", " active", "Open"],
    sortBy: ["id", "Name", "name,id", "name;DROP TABLE accounts", "organizationId", "title"],
  },
  "/api/v1/accounts/:accountId/contacts": { sortBy: ["email", "mrr", "foldedName"] },
  "/api/v1/accounts/:accountId/meetings": { sortBy: ["name", "start_at", "requestedAt"] },
  "/api/v1/accounts/:accountId/requests": {
    status: ["open", "DONE", " Done", "active"],
    sortBy: ["status", "resolvedAt", "startAt"],
  },
  "/api/v1/requests": {
    status: ["open", "DONE", " Done", "active"],
    sortBy: ["status", "accountId", "name"],
  },
  "/api/v1/accounts/:accountId/history": {},
  "/api/v1/changes": {
    resource: ["Account", "accounts", "account,contact", " contact", "organization"],
    action: ["Created", "create", "created,updated", "health-changed", "account.created"],
  },
};
const invalid = { status: 400, code: "invalid_request" };
const malformed = { status: 400, code: "malformed_url" };
const found = { status: 200 };
/** The parameters for which an empty value is valid: it matches nothing, is no filter, or is the first page. */
const takesEmptyText = new Set(["search", "externalId", "email", "cursor", "attributes.NAME"]);

test("A query parameter of the wrong type or range is 400 with the name of the parameter", async () => {
  const numbers = [
    "",
    "0",
    "-1",
    "1.0",
    "1.5",
    "1e1",
    "0x1",
    "01",
    "+1",
    "%2B1",
    "%201",
    "1,2",
    "NaN",
    "null",
    marker,
  ];
  const words = ["", "1", "__proto__", "constructor", "toString", marker];
  const long = [marker.padEnd(256, "x"), marker.repeat(1000)];
  const refused: Record<string, string[]> = {
    page: [...numbers, "9007199254740992", "99999999999999999999", "1#2"],
    pageSize: [...numbers, "101", "1000000", "9007199254740991"],
    accountId: [...numbers.filter((text) => text !== "0"), "9007199254740992"],
    after: [...numbers.filter((text) => text !== "0"), "9007199254740992", "99999999999999999999"],
    limit: [...numbers, "1001", "1000000", "9007199254740991"],
    status: words,
    resource: words,
    action: words,
    sortBy: words,
    sortOrder: [...words, "ASC", "descending", "asc;"],
    search: long,
    externalId: long,
    email: [marker.padEnd(255, "x"), ...long],
    include: [...words, "status,", ",status", "status;health", "Status", "name", ...long],
    fields: [...words, "id,", ",id", "id;name", "Id", "organizationId", ...long],
  };
  await expectOfLists((path, parameters) => [
    ...parameters.flatMap((name) =>
      [...(refused[name] ?? []), ...(lists[path]?.[name] ?? [])].map((value) =>
        listed(`${name}=${value}`, { ...invalid, blamed: name }),
      ),
    ),
    ...parameters.map((name) =>
      takesEmptyText.has(name) ? listed(name, found) : listed(name, { ...invalid, blamed: name }),
    ),
  ]);
});

test("A repeated query parameter is 400, in any encoding", async () => {
  const twice = ["NAME=1&NAME=1", "NAME=1&NAME=2", "NAME=1&NAME", "NAME&NAME=1", "NAME=1&x=1&NAME="];
  const unknown = [
    `${marker}=1&${marker}=2`,
    "a%2Bb=1&a%2Bb=2",
    "a+b=1&a%20b=2",
    "x[]=1&x[]=2",
    "__proto__=1&__proto__=2",
    "=1&=2",
  ];
  await expectOfLists((_, parameters) => [
    ...parameters.flatMap((name) => {
      const escaped = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
      const queries = twice.map((query) => query.replaceAll("NAME", name));
      return [...queries, `${name}=1&${escaped}=1`, `${escaped}=2&${escaped}`].map((query) =>
        listed(query, { ...invalid, blamed: name }),
      );
    }),
    ...unknown.map((query) => listed(query, { status: 400, code: "unknown_parameter" })),
  ]);
});

test("A query that is not percent-encoded UTF-8 is 400, in known and unknown parameters", async () => {
  const values = [
    "%",
    "%zz",
    "%3",
    "%00",
    "a%00b",
    "%ff",
    "%c0%af",
    "%ed%a0%80",
    "%ed%b0%80",
    "%f8%88%80%80%80",
    `${marker}%`,
  ];
  const queries = values.flatMap((value) => [
    `search=${value}`,
    `externalId=${value}`,
    `x=${value}`,
    `${value}=1`,
  ]);
  await expectOfLists(() => queries.map((query) => listed(query, malformed)));
});

test("An unknown parameter is 400, and neither its name nor its value is repeated", async () => {
  const odd = ["=", "x", "?", "x=1&y=2", "page[]=9", "Page=0", "__proto__=1", "__proto__[polluted]=1"];
  const likely = [
    "constructor.prototype.polluted=1",
    "limit=1&offset=5",
    "organizationId=2",
    "a=b=c=d",
    "page=1&pageSise=5",
    `${marker}=1`,
    `pagee=${marker}`,
    `${"x".repeat(4_000)}=1`,
    Array.from({ length: 3_000 }, (_, i) => `x${i}`).join("&"),
  ];
  const unknown = { status: 400, code: "unknown_parameter" };
  await expectOfLists(() => [...odd, ...likely].map((query) => listed(query, unknown)));
});

test("A page past the end is empty, and a query may have empty pairs", async () => {
  const empty = ["", "&", "&&&", "&pageSize=1&", "&limit=1&"];
  const far = ["page=9007199254740991&pageSize=100", "page=90071992547410&pageSize=100"];
  const last = ["after=9007199254740991", "after=9007199254740991&limit=1000"];
  await expectOfLists((_, parameters) =>
    [...empty, ...far, ...last]
      .filter((query) => [...new URLSearchParams(query).keys()].every((name) => parameters.includes(name)))
      .map((query) => listed(query, found)),
  );
});

test("A search is literal", async () => {
  const searches = [
    "%25",
    "_",
    "'%20OR%201=1%20--",
    "%22);DROP%20TABLE%20accounts;--",
    "%5C",
    "*",
    "(",
    "acm[e]",
    "%F0%9F%98%80",
  ];
  const searched: string[] = [];
  const service = await expectOfLists((path, parameters) => {
    if (!parameters.includes("search")) return [];
    searched.push(path);
    return searches.flatMap((text) => [listed(`search=${text}`, found), listed(`externalId=${text}`, found)]);
  });
  expect(searched).toHaveLength(5);
  for (const path of searched) {
    const totals = searches.map(async (text) => {
      const { body } = await service.call("GET", `${path.replace(":accountId", "1")}?search=${text}`);
      return body.pagination.total;
    });
    expect(await Promise.all(totals)).toEqual(searches.map(() => 0));
  }
});

test("The account in a list's path cannot be changed by a parameter", async () => {
  const { call, account } = await world();
  const [one, other] = [await account({ name: "One" }), await account({ name: "Other" })];
  await call("POST", `/api/v1/accounts/${other.id}/requests`, { title: "SSO" });
  const list = `/api/v1/accounts/${one.id}/requests`;
  expect((await call("GET", `${list}?accountId=${other.id}`)).body.code).toBe("unknown_parameter");
  expect((await call("GET", list)).body.pagination.total).toBe(0);
});

type Query = Probe & { query: string };

/** Sends to each list the queries for its path and parameters. */
async function expectOfLists(queries: (path: string, parameters: string[]) => Query[]) {
  const service = await world();
  const ids = await furnish(service);
  const routes = routesOf(service).filter(({ method, path }) => method === "GET" && lists[path]);
  expect(routes).toHaveLength(Object.keys(lists).length);
  const probes = routes.flatMap(({ path, parameters }) =>
    queries(path, parameters).map(({ query, ...probe }) => ({
      ...probe,
      title: `${path}?${query.slice(0, 60)}`,
      path: `${existing(path, ids)}?${query}`,
    })),
  );
  expect(await faultsOf(service, probes)).toEqual([]);
  return service;
}

function listed(query: string, expected: Pick<Probe, "status" | "code" | "blamed">): Query {
  return { title: query, query, ...expected };
}
