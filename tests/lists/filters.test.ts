import { expect, test } from "bun:test";
import { type FilteredRow, filterWorld, statusOf } from "./filter-world.ts";

type Query = Record<string, string>;
type Matches = (row: FilteredRow) => boolean;

/** The queries with operators of a field, each with the rows that match. Rows without a value match only `none`. */
function comparisons(name: string, values: string[], isTime: boolean, hasNone = false): [Query, Matches][] {
  const memberOf = (row: FilteredRow) => row[name];
  const parse = (text: string) => (isTime ? new Date(text).toISOString() : Number(text));
  const tests: Record<string, (a: unknown, b: never) => boolean> = {
    "": (a, b) => a === b,
    "[gt]": (a, b) => a !== null && (a as never) > b,
    "[gte]": (a, b) => a !== null && (a as never) >= b,
    "[lt]": (a, b) => a !== null && (a as never) < b,
    "[lte]": (a, b) => a !== null && (a as never) <= b,
  };
  const single = values.flatMap((value) =>
    Object.entries(tests).map(([operator, matches]): [Query, Matches] => [
      { [name + operator]: value },
      (row) => matches(memberOf(row), parse(value) as never),
    ]),
  );
  const [one = "", two = ""] = values;
  return [
    ...single,
    [{ [`${name}[in]`]: `${one},${two}` }, (row) => [parse(one), parse(two)].includes(memberOf(row))],
    [
      { [`${name}[gte]`]: one, [`${name}[lt]`]: two },
      (row) => memberOf(row) !== null && memberOf(row) >= parse(one) && memberOf(row) < parse(two),
    ],
    [{ [`${name}[gt]`]: two, [`${name}[lt]`]: one }, () => false],
    [{ [`${name}[in]`]: `${one},${two}`, [`${name}[gt]`]: one }, (row) => memberOf(row) === parse(two)],
    ...(hasNone
      ? ([
          [{ [name]: "none" }, (row) => memberOf(row) === null],
          [{ [name]: "none", [`${name}[gt]`]: one }, () => false],
        ] as [Query, Matches][])
      : []),
  ];
}

const externalIds: [Query, Matches][] = [
  [{ "externalId[in]": "x2,x4,nobody" }, ({ externalId }) => ["x2", "x4"].includes(externalId)],
  [{ "externalId[in]": "a\\,b" }, ({ externalId }) => externalId === "a,b"],
  [{ "externalId[in]": "a,b" }, () => false],
  [{ hasExternalId: "true" }, ({ externalId }) => externalId !== null],
  [{ hasExternalId: "false" }, ({ externalId }) => externalId === null],
];
const updatedAt = comparisons(
  "updatedAt",
  ["2026-01-02T03:04:05.680Z", "2026-01-02T03:04:05.683Z", "2027-01-01"],
  true,
);
const days = ["2025-12-02", "2025-12-04T00:00:00Z"];
const sortBy: Record<string, string[]> = {
  "/api/v1/accounts": ["name", "mrr", "createdAt", "updatedAt"],
  "/api/v1/accounts/1/contacts": ["name", "updatedAt"],
  "/api/v1/accounts/1/meetings": ["startAt", "endAt", "title", "updatedAt"],
  "/api/v1/accounts/1/requests": ["requestedAt", "severity", "updatedAt"],
  "/api/v1/requests": ["requestedAt", "severity", "title", "updatedAt"],
  "/api/v1/health": ["score", "name"],
};
const ofRequests: [Query, Matches][] = [
  ...comparisons("severity", ["2", "4", "9", "1e0"], false),
  ...comparisons("requestedAt", days, true),
  ...comparisons("resolvedAt", ["2025-12-01", "2026-01-02T03:04:05.690Z"], true, true),
  [{ status: "Open,Done" }, ({ status }) => status === "Open" || status === "Done"],
  [{ status: "Planned,Planned" }, ({ status }) => status === "Planned"],
  ...updatedAt,
  ...externalIds,
];
const filters: Record<string, [Query, Matches][]> = {
  "/api/v1/accounts": [
    ...comparisons("mrr", ["0", "100", "100.25", "-2.5", "1e21", "1E2", "-0"], false),
    ...comparisons("createdAt", ["2026-01-02T03:04:05.679Z", "2026-01-02T03:04:05.682Z"], true),
    ...updatedAt,
    [{ "id[in]": "1,3,3,999" }, ({ id }) => id === 1 || id === 3],
    [{ "id.in": "2", status: "churned" }, (row) => row.id === 2 && statusOf(row) === "churned"],
    [{ status: "active,churned" }, (row) => ["active", "churned"].includes(statusOf(row))],
    [{ status: "churned" }, (row) => statusOf(row) === "churned"],
    ...externalIds,
  ],
  "/api/v1/accounts/1/contacts": [
    ...comparisons("lastSeenAt", days, true, true),
    [{ email: "p2@X.io" }, ({ email }) => email === "P2@x.io"],
    [{ email: "none" }, ({ email }) => email === null],
    [{ email: "" }, () => false],
    [{ email: "%@x.io" }, () => false],
    [{ "email[in]": "p1@x.io,P2@x.io,nobody@x.io" }, ({ email }) => ["P1@x.io", "P2@x.io"].includes(email)],
    [{ "email[in]": "p1@x.io", email: "p2@x.io" }, () => false],
    [{ "email[in]": "p1@x.io", email: "none" }, () => false],
    ...updatedAt,
    ...externalIds,
  ],
  "/api/v1/accounts/1/meetings": [
    ...comparisons("startAt", days, true),
    ...comparisons("endAt", days, true),
    ...updatedAt,
    ...externalIds,
  ],
  "/api/v1/accounts/1/requests": ofRequests,
  "/api/v1/requests": ofRequests,
  "/api/v1/health": [
    [{ tier: "none" }, ({ tier }) => tier === null],
    [{ tier: "healthy" }, ({ tier }) => tier === "healthy"],
    [{ tier: "healthy,attention,at_risk,critical" }, ({ tier }) => tier !== null],
    [{ tier: "healthy,attention,at_risk,critical,none" }, () => true],
  ],
};

test("each filter returns the matching rows and their total, by page and by cursor", async () => {
  const { list, readAll } = await filterWorld();
  for (const [path, cases] of Object.entries(filters)) {
    const orders = sortBy[path] ?? [];
    for (const [i, order] of orders.entries()) {
      const all: FilteredRow[] = (await list(path, { sortBy: order, pageSize: "100" })).body.data;
      expect(all).toHaveLength(12);
      // Each filter in one order: no filter depends on the order.
      for (const [query, matches] of cases.filter((_, j) => (i + j) % orders.length === 0)) {
        const wanted = all.filter(matches);
        const { status, body } = await list(path, { ...query, sortBy: order, pageSize: "100" });
        expect([query, order, status, body.pagination?.total]).toEqual([query, order, 200, wanted.length]);
        expect([query, order, body.data]).toEqual([query, order, wanted]);
        expect([query, order, await readAll(path, { ...query, sortBy: order })]).toEqual([
          query,
          order,
          wanted,
        ]);
      }
    }
  }
});

test("filters are combined with each other, with a search and with the opposite order", async () => {
  const { list, readAll } = await filterWorld();
  for (const [path, cases] of Object.entries(filters)) {
    const order = { sortBy: sortBy[path]?.[0] ?? "", sortOrder: "desc" };
    const all: FilteredRow[] = (await list(path, { ...order, pageSize: "100" })).body.data;
    for (const [i, [query, matches]] of cases.entries()) {
      const [other, matchesOther] = cases[(i * 7 + 3) % cases.length] ?? [query, matches];
      if (Object.keys(query).some((name) => name in other)) continue;
      const wanted = all.filter((row) => matches(row) && matchesOther(row));
      const both = { ...query, ...other, ...order };
      expect([both, await readAll(path, both)]).toEqual([both, wanted]);
      const page = (await list(path, { ...both, page: "2", pageSize: "2" })).body;
      expect([both, page.data, page.pagination.total]).toEqual([both, wanted.slice(2, 4), wanted.length]);
      if (path.endsWith("health")) continue;
      const found = wanted.filter(({ name, title }) => /[12]/.test(name ?? title));
      const searched = [
        ...(await readAll(path, { ...both, search: "1" })),
        ...(await readAll(path, { ...both, search: "2" })),
      ];
      const isFound = ({ id }: FilteredRow) => searched.some((row) => row.id === id);
      expect([both, wanted.filter(isFound).length >= found.length]).toEqual([both, true]);
    }
  }
});
