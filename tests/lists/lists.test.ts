import { expect, test } from "bun:test";
import { type Body, world } from "../support/world.ts";

type Listed = Record<string, string | number>;
type Page = { data: Listed[]; pagination: Record<string, number | boolean> };
type List = { path: string; of: string; sortBy: string[]; text: "name" | "title"; body(i: number): Body };

const text = (i: number) => `${i % 2 ? "TEXT" : "text"} ${i % 3}`;
const day = (i: number) => `2025-12-0${1 + (i % 4)}T00:00:00.000Z`;
const requestBody = (i: number) => ({ title: text(i), severity: 1 + (i % 3), requestedAt: day(i) });
const times = ["createdAt", "updatedAt"];
const ofRequests = ["requestedAt", "severity", "title", ...times];

/** Lists: the path, the name of the resource, and the sort columns, the default first. */
const lists: List[] = [
  {
    path: "/api/v1/accounts",
    of: "accounts",
    sortBy: ["name", "mrr", ...times],
    text: "name",
    body: (i) => ({ name: text(i), mrr: i % 3 }),
  },
  {
    path: "/api/v1/accounts/1/contacts",
    of: "contacts",
    sortBy: ["name", ...times],
    text: "name",
    body: (i) => ({ name: text(i) }),
  },
  {
    path: "/api/v1/accounts/1/meetings",
    of: "meetings",
    sortBy: ["startAt", "endAt", "title", ...times],
    text: "title",
    body: (i) => ({ title: text(i), startAt: day(i), endAt: `2025-12-1${i % 3}` }),
  },
  {
    path: "/api/v1/accounts/1/requests",
    of: "requests",
    sortBy: ofRequests,
    text: "title",
    body: requestBody,
  },
  { path: "/api/v1/requests", of: "requests", sortBy: ofRequests, text: "title", body: requestBody },
];

/** A world with this number of rows in the list, some updated later, and one row in another organization. */
async function listing({ path, of, text, body }: List, count: number) {
  const here = await world();
  const { call, account, pass, second } = here;
  const isOfAccounts = of === "accounts";
  if (!isOfAccounts) for (const name of ["Acme", "Globex"]) await account({ name });
  const theirs = await account({ name: "Theirs" }, { key: second.key });
  const isOfAccount = path.includes("accounts/");
  const add = async (more: Body, accountId = 1, options = {}) => {
    const createPath = isOfAccounts ? path : `/api/v1/accounts/${accountId}/${of}`;
    const reply = await call("POST", createPath, { ...body(0), ...more }, options);
    if (reply.status !== 201) throw new Error(`not created: ${reply.text}`);
    return reply.body.data;
  };
  for (let i = 0; i < count; i++) {
    await add(body(i), isOfAccount ? 1 : 1 + (i % 2));
    if (i % 3 === 2) pass(1);
  }
  await add({ externalId: "theirs" }, theirs.id, { key: second.key });
  if (isOfAccount) await add({ externalId: "elsewhere" }, 2);
  pass(1000);
  const page = async (query: string): Promise<Page> => (await call("GET", path + query)).body;
  for (const row of (await page("?pageSize=100&sortBy=createdAt")).data.filter((_, i) => i % 4 === 0))
    await call("PATCH", `/api/v1/${of}/${row.id}`, { [text]: `${row[text]}.` });
  return { ...here, add, page };
}

for (const list of lists) {
  const { path, text } = list;

  test(`${path}: page counts from 1, pageSize is 25 by default and 100 at most`, async () => {
    const { call, page } = await listing(list, 30);
    const place = { page: 1, pageSize: 25, total: 30, totalPages: 2, hasNextPage: true, hasPrevPage: false };
    const [first, last] = [await page(""), await page("?page=2")];
    expect([first.data.length, first.pagination]).toEqual([25, place]);
    expect([last.data.length, last.pagination]).toEqual([
      5,
      { ...place, page: 2, hasNextPage: false, hasPrevPage: true },
    ]);
    const all = await page("?pageSize=100");
    expect(all.data).toEqual([...first.data, ...last.data]);
    for (const query of ["pageSize=101", "pageSize=0", "page=0", "page=-1", "page=1.5", "page=", "page=x"])
      expect((await call("GET", `${path}?${query}`)).body).toMatchObject({
        status: 400,
        code: "invalid_request",
        errors: [{ parameter: query.split("=")[0] }],
      });
  });

  test(`${path}: a page past the end has the true total, a filter without matches totalPages 0; both have empty data`, async () => {
    const { page } = await listing(list, 3);
    for (const query of ["", "&search=text", `&search=TEXT&sortBy=${text}`, "&sortBy=updatedAt&search=text"])
      expect(await page(`?page=7&pageSize=2${query}`)).toEqual({
        data: [],
        pagination: { page: 7, pageSize: 2, total: 3, totalPages: 2, hasNextPage: false, hasPrevPage: true },
      });
    const far = await page("?page=9007199254740991&pageSize=100");
    expect(far).toMatchObject({ data: [], pagination: { page: 9007199254740991, total: 3 } });
    const none = { page: 1, pageSize: 25, total: 0, totalPages: 0, hasNextPage: false, hasPrevPage: false };
    for (const query of ["?search=nothing", "?externalId=nothing", "?externalId=theirs", "?externalId="])
      expect(await page(query)).toEqual({ data: [], pagination: none });
  });

  test(`${path}: each sortBy in each sortOrder; ties are ordered by id in the same direction, and pages do not overlap`, async () => {
    const { page } = await listing(list, 23);
    const all = (await page("?pageSize=100")).data;
    for (const sortBy of list.sortBy)
      for (const sortOrder of ["asc", "desc"])
        for (const filter of ["", "&search=text", "&search=Text%202"]) {
          const matching = all.filter(
            (row) => filter !== "&search=Text%202" || /text 2/i.test(String(row[text])),
          );
          const wanted = matching.toSorted((a, b) => compare(a, b, sortBy));
          if (sortOrder === "desc") wanted.reverse();
          const found: Listed[] = [];
          for (let number = 1; number <= 5; number++) {
            const query = `?sortBy=${sortBy}&sortOrder=${sortOrder}&page=${number}&pageSize=5${filter}`;
            const { data, pagination } = await page(query);
            expect(pagination.total).toBe(wanted.length);
            found.push(...data);
          }
          expect(found).toEqual(wanted);
        }
  });

  test(`${path}: the default order is ${list.sortBy[0]} ascending; an unknown order is 400`, async () => {
    const { call, page } = await listing(list, 9);
    const byDefault = await page("");
    expect(await page(`?sortBy=${list.sortBy[0]}&sortOrder=asc`)).toEqual(byDefault);
    expect((await page("?sortOrder=desc")).data).toEqual(byDefault.data.toReversed());
    for (const query of ["sortBy=id", "sortBy=nobody", "sortBy=", "sortOrder=ASC", "sortOrder="])
      expect((await call("GET", `${path}?${query}`)).body).toMatchObject({
        status: 400,
        errors: [{ parameter: query.split("=")[0], code: "not_allowed" }],
      });
  });

  test(`${path}: search is literal and case-insensitive; an empty search is no filter`, async () => {
    const { add, page } = await listing(list, 0);
    const texts = ["100% Wool", "snake_case", "back\\slash", "O'Neil", "Éclair", "Straße", "plain", "a*b?c"];
    texts.push('The "Best"', "[x]");
    for (const value of texts) await add({ [text]: value });
    const found = async (search: string) => {
      const { data, pagination } = await page(`?${new URLSearchParams({ search })}`);
      expect(pagination.total).toBe(data.length);
      return data.map((row) => row[text]);
    };
    for (const [search, match] of [
      ["%", "100% Wool"],
      ["_", "snake_case"],
      ["\\", "back\\slash"],
      ["'", "O'Neil"],
      ["*", "a*b?c"],
      ['"', 'The "Best"'],
      ["[", "[x]"],
      ["ÉCLAIR", "Éclair"],
      ["e\u0301clair", "Éclair"],
      ["STRASSE", "Straße"],
      ["PLAIN", "plain"],
    ] as const)
      expect(await found(search)).toEqual([match]);
    for (const search of ["%%", "p_ain", "' OR 1=1 --", "eclair"]) expect(await found(search)).toEqual([]);
    expect(await found("")).toHaveLength(texts.length);
  });
}

function compare(a: Listed, b: Listed, sortBy: string): number {
  const [x = "", y = ""] = [a[sortBy], b[sortBy]].map((value) =>
    typeof value === "string" ? value.toLowerCase() : value,
  );
  if (x === y) return Number(a.id) - Number(b.id);
  return x < y ? -1 : 1;
}
