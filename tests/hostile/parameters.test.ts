import { expect, test } from "bun:test";
import { world } from "../support/world.ts";
import { faultsOf, marker, type Probe } from "./probes.ts";

const accounts = "/api/v1/accounts";
const invalid = { status: 400, code: "invalid_request" };
const malformed = { status: 400, code: "malformed_url" };
const notFound = { status: 404, code: "not_found" };
const found = { status: 200 };

test("An id that is not plain decimal digits up to 2^53 - 1 is 400, on GET and on PATCH", async () => {
  const numbers = [
    "1e3",
    "0x10",
    "0b1",
    "0o7",
    "01",
    "00",
    "-1",
    "+1",
    "%2B1",
    " 1",
    "%201",
    "1%20",
    "1%0a",
    "%091",
  ];
  const fractions = [
    "1.0",
    "1.5",
    ".1",
    "1.",
    "1,2",
    "1_000",
    "1n",
    "1;x=1",
    "1&x",
    "%31%2e0",
    "Infinity",
    "NaN",
  ];
  const large = [
    "9007199254740992",
    "9007199254740993",
    "99999999999999999999",
    "9".repeat(4000),
    "1".repeat(16_000),
  ];
  const words = [
    "null",
    "undefined",
    "true",
    "__proto__",
    "constructor",
    marker,
    "$1",
    "*",
    ":accountId",
    "%7B%7D",
  ];
  const foreign = ["%EF%BC%91", "%D9%A1", "%C2%B2", "1%2F2", "..%2F1", "%252e", "1'--", "1%20OR%201=1"];
  const broken = [
    "%",
    "%3",
    "%31%zz",
    "%00",
    "1%00",
    "%ff",
    "%c0%b1",
    "%ed%a0%80",
    "%f4%90%80%80",
    `${marker}%`,
  ];
  const none = ["0", "9007199254740991", "%39%39"];
  const probes = [
    ...[...numbers, ...fractions, ...large, ...words, ...foreign].map((id) =>
      withId(id, { ...invalid, blamed: "accountId" }),
    ),
    ...broken.map((id) => withId(id, malformed)),
    ...none.map((id) => withId(id, notFound)),
  ];
  const changing = probes.map((probe) => ({ ...probe, method: "PATCH", body: `{"name":"${marker}"}` }));
  expect(await faultsOf(await world(), [...probes, ...changing])).toEqual([]);
});

test("A query parameter of the wrong type or range is 400, and names the parameter", async () => {
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
  const refused: Record<string, string[]> = {
    page: [...numbers, "9007199254740992", "99999999999999999999", "1#2"],
    pageSize: [...numbers, "101", "1000000", "9007199254740991"],
    status: ["", "Active", "ACTIVE", " active", "active,churned", "1", "__proto__", "toString", marker],
    sortBy: [
      "",
      "id",
      "Name",
      "name,id",
      "name;DROP TABLE accounts",
      "organizationId",
      "__proto__",
      "constructor",
      marker,
    ],
    sortOrder: ["", "ASC", "descending", "asc;", "__proto__", marker],
    search: [marker.padEnd(256, "x")],
    externalId: [marker.padEnd(256, "x"), marker.repeat(1000)],
  };
  const probes = Object.entries(refused).flatMap(([parameter, values]) =>
    values.map((value) => listed(`${parameter}=${value}`, { ...invalid, blamed: parameter })),
  );
  expect(await faultsOf(await world(), [...probes, listed("page", { ...invalid, blamed: "page" })])).toEqual(
    [],
  );
});

test("A query parameter given twice is 400, however it is written", async () => {
  const twice = [
    "page=1&page=1",
    "page=1&page=2",
    "page=1&p%61ge=2",
    "%70age=1&%70%61ge=1",
    "page=1&page",
    "page&page=1",
  ];
  const others = [
    "status=active&status=churned",
    "search=a&search=",
    "externalId=&externalId=",
    "sortBy=mrr&x=1&sortBy=mrr",
  ];
  const unknown = [
    `${marker}=1&${marker}=2`,
    "a%2Bb=1&a%2Bb=2",
    "a+b=1&a%20b=2",
    "x[]=1&x[]=2",
    "__proto__=1&__proto__=2",
    "=1&=2",
  ];
  const probes = [...twice, ...others, ...unknown].map((query) => listed(query, invalid));
  expect(await faultsOf(await world(), probes)).toEqual([]);
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
  expect(
    await faultsOf(
      await world(),
      queries.map((query) => listed(query, malformed)),
    ),
  ).toEqual([]);
});

test("Unknown parameters are ignored, and a search means nothing but itself", async () => {
  const service = await world();
  await service.account({ name: "Acme" });
  const ignored = [
    "&",
    "&&&",
    "=",
    "x",
    "?",
    "x=1&y=2",
    "page[]=9",
    "Page=0",
    "__proto__=1",
    "__proto__[polluted]=1",
  ];
  const harmless = [
    "constructor.prototype.polluted=1",
    "limit=1&offset=5",
    "organizationId=2",
    "api_key=x",
    "a=b=c=d",
  ];
  const far = ["page=9007199254740991&pageSize=100", "page=90071992547410&pageSize=100"];
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
  const probes = [
    ...[...ignored, ...harmless, ...far].map((query) => listed(query, found)),
    ...searches.flatMap((text) => [listed(`search=${text}`, found), listed(`externalId=${text}`, found)]),
  ];
  expect(await faultsOf(service, probes)).toEqual([]);
  for (const text of searches) {
    const { body } = await service.call("GET", `${accounts}?search=${text}`);
    expect(body.pagination.total).toBe(0);
  }
});

function withId(id: string, expected: Pick<Probe, "status" | "code" | "blamed">): Probe {
  return { title: `id ${id.slice(0, 40)}`, path: `${accounts}/${id}`, ...expected };
}

function listed(query: string, expected: Pick<Probe, "status" | "code" | "blamed">): Probe {
  return { title: `?${query.slice(0, 60)}`, path: `${accounts}?${query}`, ...expected };
}
