import { expect, test } from "bun:test";
import { ownTables, type Prepared, prepareAll } from "./prepared.ts";

const all = await prepareAll();

/** The statements that read a page of a list of the table: what they are ordered by, they read last. */
function pagesOf(table: string): Prepared[] {
  const order = `(?:coalesce\\([^,]*, )?[^,]*"\\1"[^,]* (asc|desc), [^,]*"\\2"[^,]* \\3`;
  const isPage = new RegExp(
    `^select [^(]*, "(\\w+)", "(\\w+)" from "${table}" where .* order by ${order} limit `,
  );
  return all.filter(({ sql }) => isPage.test(sql));
}

function isSearch({ sql }: Prepared): boolean {
  return sql.includes("instr(");
}

/** Whether the page is of the one row with an external id. */
function isOfOne({ sql }: Prepared): boolean {
  return sql.includes('"external_id" = ');
}

function isOfAccount({ sql }: Prepared): boolean {
  return sql.includes('"account_id" = ');
}

test("the lists have a statement for each order and choice of filters", () => {
  // Of a status there are two: active accounts, and others.
  expect(pagesOf("accounts")).toHaveLength(4 * 2 * 3 * 2 ** 2);
  expect(pagesOf("contacts")).toHaveLength(3 * 2 * 2 ** 3);
  expect(pagesOf("meetings")).toHaveLength(5 * 2 * 2 ** 2);
  expect(pagesOf("requests")).toHaveLength(5 * 2 * 2 ** 4);
});

test.each([
  ["accounts", 48],
  ["requests", 40],
])(
  "every list of all %s without a search reads an index of the organization, in its order",
  (table, count) => {
    const pages = pagesOf(table).filter((page) => !isSearch(page) && !isOfAccount(page));
    expect(pages).toHaveLength(count);
    const inOrder = new RegExp(`^SEARCH ${table} USING INDEX \\w+ \\(organization_id=\\?[^;]*\\)$`);
    expect(pages.filter(({ plan }) => !inOrder.test(plan.join("; ")))).toEqual([]);
  },
);

test("every list of accounts by health reads an index of the organization, in its order", () => {
  const pages = all.filter(({ sql }) => /^select .*"coverage".* order by .* limit /.test(sql));
  expect(pages).toHaveLength(3 * 2 * 2);
  const inOrder = /^SEARCH (accounts|account_health) USING INDEX \w+ \(organization_id=\?/;
  const isSorted = ({ plan }: Prepared) => plan.some((line) => line.includes("TEMP B-TREE"));
  expect(pages.filter((page) => !inOrder.test(page.plan[0] ?? "") || isSorted(page))).toEqual([]);
});

test.each([
  ["accounts", "accounts_(?:status_)?name", 24],
  ["requests", "requests_title", 20],
])("every search of all %s reads an index of its text alone for its matches", (table, index, count) => {
  const pages = pagesOf(table).filter((page) => isSearch(page) && !isOfOne(page) && !isOfAccount(page));
  expect(pages).toHaveLength(count);
  const matches = new RegExp(`^SEARCH ${table} USING (COVERING )?INDEX ${index} \\(organization_id=\\?`);
  expect(pages.filter(({ plan }) => !plan.some((line) => matches.test(line)))).toEqual([]);
});

test.each([
  ["contacts", 48],
  ["meetings", 40],
  ["requests", 80],
])("every list of one account's %s reads rows of that account alone", (table, count) => {
  const pages = pagesOf(table).filter(isOfAccount);
  expect(pages).toHaveLength(count);
  const own = new RegExp(
    `^SEARCH ${table} USING .*\\((organization_id=\\? AND (account_id|external_id)=\\?|rowid=\\?)`,
  );
  const wide = pages.flatMap(({ sql, plan }) =>
    plan
      .filter((line) => /^(SEARCH|SCAN) /.test(line) && !own.test(line))
      .map((line) => `${line} for ${sql.replace(/.* order by | limit .*/g, "")}`),
  );
  expect([...new Set(wide)]).toEqual([]);
});

test("no statement reads through a whole table of organizations", () => {
  const scan = new RegExp(`^SCAN (${ownTables.join("|")})\\b`);
  expect(all.filter(({ plan }) => plan.some((line) => scan.test(line)))).toEqual([]);
});

test("the lists that an account embeds are read from their indexes alone, in their order", () => {
  const { plan = [] } = all.find(({ sql }) => sql.includes("json_group_array")) ?? {};
  for (const table of ["contacts", "meetings", "requests"])
    expect(plan.join("\n")).toMatch(
      new RegExp(`^SEARCH ${table} USING COVERING INDEX .*organization_id=\\?`, "m"),
    );
  expect(plan.filter((line) => line.includes("TEMP B-TREE"))).toEqual([]);
});

test("no statement looks through an organization for keys that it is given", () => {
  const lists = all.filter(({ sql }) => sql.includes("in (select value from json_each("));
  const wide = lists.filter(
    ({ plan }) => !/^SEARCH \w+ USING .*\(organization_id=\? AND \w+=\?/.test(plan[0] ?? ""),
  );
  expect(wide).toEqual([]);
  const changes = all.filter(({ sql }) => /^(update|delete from) "(\w+)" .*"\2"\."id" = /.test(sql));
  expect(changes.length).toBeGreaterThan(5);
  const slow = changes.filter(({ plan }) => !/^SEARCH \w+ USING .*(rowid|AND id)=\?/.test(plan[0] ?? ""));
  expect(slow).toEqual([]);
});
