import { expect, test } from "bun:test";
import { statementNamed } from "../../db/statements.ts";
import { ownTables, type Prepared, prepareAll } from "./prepared.ts";

const all = await prepareAll();

type Variant = Prepared & { filters: string[] };

function everyVariantOf(list: string, statement: string): Variant[] {
  const prefix = `${list}/${statement}/`;
  return all
    .filter(({ name }) => name.startsWith(prefix))
    .map((prepared) => ({ ...prepared, filters: prepared.name.split("/").at(-1)?.split("+") ?? [] }));
}

/** Whether a variant has filters with operators. */
function hasFields({ name }: Prepared): boolean {
  return /[/+](fields|(range|list|field):\w+|attributes:\d+|attribute:\w+|attributeIds)(\+|$)/.test(name);
}

/** The variants of a statement of a list without operators: `page` and `keys` read a page in order. */
function variantsOf(list: string, statement: string): Variant[] {
  return everyVariantOf(list, statement).filter((variant) => !hasFields(variant));
}

function inOrderOf(list: string) {
  return [...variantsOf(list, "page"), ...variantsOf(list, "keys")];
}

function isSorted({ plan }: Prepared): boolean {
  return plan.some((line) => line.includes("TEMP B-TREE"));
}

/** The first line about a table. In a short page, the line of its subquery, a co-routine, precedes it. */
function firstRead(plan: readonly string[]): string {
  return plan.find((line) => !line.startsWith("CO-ROUTINE ")) ?? "";
}

/** Whether it reads at most 500 rows by their ids, or sorts the values of the matches of a search. */
function sortsFew(name: string): boolean {
  return /attributeIds|\.byAttribute\/\w+\/.*\/search$/.test(name);
}

/** Whether at most one row matches its filters. */
function isUnique({ name }: Prepared): boolean {
  const filters = name.split("/").at(-1)?.split("+") ?? [];
  return filters.includes("externalId") || filters.includes("email");
}

function planOf(name: string): string {
  return all.find((prepared) => prepared.name === name)?.plan.join("; ") ?? "";
}

/** The names of the statements whose plan does not match. */
function namesWithout(statements: readonly Prepared[], plan: RegExp): string[] {
  return statements.filter((prepared) => !plan.test(prepared.plan.join("; "))).map(({ name }) => name);
}

test.each([
  // The filter by status has two variants: active, and others.
  ["accounts.list", 6 * 2 * 3 * 2 ** 2],
  ["contacts.list", 3 * 2 * 2 ** 4],
  ["meetings.list", 5 * 2 * 2 ** 3],
  ["scores.list", 3 * 2 * 2],
  ["unmatchedIds.list", 4 * 2 * 2],
])("%s has statements for each order and combination of filters", (list, count) => {
  expect(variantsOf(list, "page")).toHaveLength(count);
  expect(variantsOf(list, "keys")).toHaveLength(count);
});

test("the list of requests has statements for each order and combination of filters, of one account and of all", () => {
  const ofAccount = variantsOf("requests.list", "page").filter(({ filters }) =>
    filters.includes("accountId"),
  );
  expect(ofAccount).toHaveLength(5 * 2 * 2 ** 3);
  expect(variantsOf("requests.list", "page")).toHaveLength(5 * 2 * 2 ** 4);
});

test.each([
  ["accounts.list", "accounts", 2 * 72],
  ["requests.list", "requests", 2 * 40],
  ["scores.list", "accounts", 2 * 12],
])(
  "every page of %s without a search is read in the order of an index that begins with the organization",
  (list, table, count) => {
    const pages = inOrderOf(list).filter(
      ({ filters }) => !filters.includes("search") && !filters.includes("accountId"),
    );
    expect(pages).toHaveLength(count);
    const inOrder = new RegExp(
      `^SEARCH ${table} USING (?:COVERING )?INDEX \\w+ \\(organization_id=\\?[^;]*\\)$`,
    );
    expect(namesWithout(pages, inOrder)).toEqual([]);
  },
);

test("no statement for a page or a total of all accounts or requests sorts, except those of few rows", () => {
  const sorted = all.filter(
    (prepared) =>
      isSorted(prepared) &&
      // Few rows of a range or a list are sorted.
      !/(range|list):/.test(prepared.name) &&
      /^(accounts|requests|scores)\b/.test(prepared.name) &&
      !prepared.plan[0]?.includes("account_id=?") &&
      !sortsFew(prepared.name) &&
      // Up to 1,000 matches, by their ids.
      !/\((?:rowid|organization_id=\? AND id)=\?\)/.test(prepared.plan[0] ?? ""),
  );
  expect(sorted.map(({ name }) => name)).toEqual([]);
});

test.each([
  ["score", "accounts_rank"],
  ["mrr", "accounts_(?:tier_)?mrr"],
  ["name", "accounts_(?:tier_)?name"],
])("the list of scores in the order of %s reads an index of accounts", (sortBy, index) => {
  const pages = inOrderOf("scores.list").filter(({ name }) => name.split("/")[2] === sortBy);
  expect(pages).toHaveLength(2 * 2 * 2);
  const search = new RegExp(`^SEARCH accounts USING (?:COVERING )?INDEX ${index} \\(organization_id=\\?`);
  expect(namesWithout(pages, search)).toEqual([]);
});

test("the scores of a tier in the order of mrr or name are read from an index of the tier", () => {
  const pages = inOrderOf("scores.list").filter(
    ({ name, filters }) => filters.includes("tier") && !name.includes("/score/"),
  );
  expect(pages).toHaveLength(2 * 2 * 2);
  const ofTier =
    /^SEARCH accounts USING (?:COVERING )?INDEX accounts_tier_\w+ \(organization_id=\? AND tier=\?\)$/;
  expect(namesWithout(pages, ofTier)).toEqual([]);
});

test.each([
  ["scores.stale", "accounts_score_stale", "organization_id=\\? AND score_stale_at<\\?"],
  ["scores.list/countAll/score/asc/tier", "accounts_tier_\\w+", "organization_id=\\? AND tier=\\?"],
])("%s reads only a range of the index %s, without a sort", (name, index, part) => {
  expect(planOf(name)).toMatch(new RegExp(`^SEARCH accounts USING COVERING INDEX ${index} \\(${part}\\)$`));
});

test.each([
  ["changes.bySequence", /^SEARCH changes USING PRIMARY KEY \(organization_id=\? AND sequence=\?\)$/],
  ["changes.oldest", /^SEARCH changes USING PRIMARY KEY \(organization_id=\?\)$/],
  ["changes.removeUpTo", /^SEARCH changes USING PRIMARY KEY \(organization_id=\? AND sequence<\?\)$/],
  [
    "changes.feed",
    /^SEARCH changes USING PRIMARY KEY \(organization_id=\? AND sequence>\? AND sequence<\?\)$/,
  ],
  [
    "changes.feedOfResource",
    /^SEARCH changes USING PRIMARY KEY \(organization_id=\? AND sequence>\? AND sequence<\?\)$/,
  ],
  [
    "changes.feedOfAction",
    /^SEARCH changes USING PRIMARY KEY \(organization_id=\? AND sequence>\? AND sequence<\?\)$/,
  ],
  [
    "changes.feedOfBoth",
    /^SEARCH changes USING PRIMARY KEY \(organization_id=\? AND sequence>\? AND sequence<\?\)$/,
  ],
  ["changes.first", /^SEARCH changes USING PRIMARY KEY \(organization_id=\?\)$/],
  ["changes.last", /^SEARCH changes USING PRIMARY KEY \(organization_id=\?\)$/],
  ["accountChanges.notIndexed", /^SEARCH changes USING PRIMARY KEY \(organization_id=\? AND sequence>\?\)$/],
  [
    "accountChanges.indexed",
    /^SEARCH account_changes USING PRIMARY KEY \(organization_id=\? AND account_id=\?\)$/,
  ],
  [
    "accountChanges.total",
    /^SEARCH account_changes USING PRIMARY KEY \(organization_id=\? AND account_id=\?\)$/,
  ],
  [
    "accountChanges.remove",
    /^SEARCH account_changes USING PRIMARY KEY \(organization_id=\? AND account_id=\? AND sequence=\?\)$/,
  ],
  ["usageSums.list", /^SEARCH usage_sums USING PRIMARY KEY \(organization_id=\? AND day>\? AND day<\?\)$/],
  ["erasures.changes", /^SEARCH changes USING PRIMARY KEY \(organization_id=\? AND sequence>\?\)$/],
  ["erasures.replies", /^SEARCH idempotency_keys USING PRIMARY KEY \(organization_id=\? AND key>\?\)$/],
  [
    "erasures.firstUsers",
    /^SEARCH usage_days USING PRIMARY KEY \(organization_id=\? AND \(account_id,day,event\)>\(\?,\?,\?\)\)$/,
  ],
  [
    "erasures.users",
    /^SEARCH usage_users USING PRIMARY KEY \(organization_id=\? AND \(account_id,day,event,user_id\)>\(\?,\?,\?,\?\)\)$/,
  ],
  ["usageSumUsers.oldest", /^SEARCH usage_sum_users USING PRIMARY KEY \(organization_id=\? AND day<\?\)$/],
  [
    "healthDays.list",
    /^SEARCH health_days USING PRIMARY KEY \(organization_id=\? AND account_id=\? AND day>\? AND day<\?\)$/,
  ],
  [
    "healthDays.lastBefore",
    /^SEARCH health_days USING PRIMARY KEY \(organization_id=\? AND account_id=\? AND day<\?\)$/,
  ],
  ["scores.byRank", /^SEARCH accounts USING COVERING INDEX accounts_rank \(organization_id=\?\)$/],
  ["accountDeletions.next", /^SEARCH account_deletions USING PRIMARY KEY \(organization_id=\?\)$/],
  [
    "accountDeletions.events",
    /^SEARCH events USING INDEX events_received \(organization_id=\? AND rowid>\?\)$/,
  ],
])("%s reads a range of one index in its order", (name, plan) => {
  expect(planOf(name)).toMatch(plan);
});

test("the facts of scores are read from ranges of indexes, and the ends of others", () => {
  const ofAccount = "organization_id=\\? AND account_id=\\?";
  const list = "LIST SUBQUERY \\d; SCAN json_each VIRTUAL TABLE INDEX 1:";
  const range = (table: string, index: string, bounds = "") =>
    `SEARCH ${table} USING ${index} \\(${ofAccount}${bounds}\\)`;
  const subquery = (...parts: string[]) => parts.map((part) => `CORRELATED SCALAR SUBQUERY \\d; ${part}`);
  const expectPlan = (name: string, ...parts: string[]) =>
    expect(planOf(name)).toMatch(new RegExp(`^${parts.join("; ")}$`));
  const days = " AND day>\\? AND day<\\?";
  expectPlan("scoreInputs.days", range("usage_days", "PRIMARY KEY", days), list);
  const newestDay = range("usage_days", "PRIMARY KEY", " AND day<\\?");
  const accounts =
    "SEARCH accounts USING (COVERING )?INDEX sqlite_autoindex_accounts_1 \\(organization_id=\\? AND id=\\?\\)";
  expectPlan(
    "scoreInputs.accounts",
    ...[accounts, list],
    ...subquery(
      `CO-ROUTINE \\(subquery-1\\); ${range("last_seen", "PRIMARY KEY")}; USE TEMP B-TREE FOR ORDER BY; SCAN \\(subquery-1\\)`,
      range("usage_days", "PRIMARY KEY", " AND day=\\?"),
      newestDay,
      range("meetings", "COVERING INDEX meetings_account"),
    ),
  );
  expectPlan(
    "scoreInputs.meetings",
    range("meetings", "COVERING INDEX meetings_account", " AND start_at>\\?"),
    list,
  );
  expectPlan(
    "scoreInputs.requests",
    range("requests", "COVERING INDEX requests_account", " AND requested_at<\\?"),
    list,
  );
  const ranked = "SEARCH accounts USING COVERING INDEX \\w+ \\(organization_id=\\?\\)";
  expectPlan(
    "usageRanking.accounts",
    ...[
      "CO-ROUTINE \\(subquery-\\d\\)",
      range("usage_days", "PRIMARY KEY", days),
      "LIST SUBQUERY \\d",
      ranked,
    ],
    ...["SCAN \\(subquery-\\d\\)", "USE TEMP B-TREE FOR ORDER BY"],
  );
});

test.each([
  // Their attributes are read, too.
  ["contacts", "INDEX"],
  ["meetings", "COVERING INDEX"],
  ["requests", "COVERING INDEX"],
])("a deleted account's %s are found by the account", (table, index) => {
  const ofAccount = `USING ${index} \\w+ \\(organization_id=\\? AND account_id=\\?\\)$`;
  expect(planOf(`${table}.idsOfAccount`)).toMatch(new RegExp(`^SEARCH ${table} ${ofAccount}`));
  expect(planOf(`${table}.deleteOfAccount`)).toBe(`SEARCH ${table} USING INTEGER PRIMARY KEY (rowid=?)`);
});

test.each([
  ["accounts.list", "accounts", "accounts_(?:status_)?name", 36],
  ["requests.list", "requests", "requests_title", 20],
])(
  "every search in all rows of %s finds its matches in the index of the text",
  (list, table, index, count) => {
    const pages = variantsOf(list, "page").filter(
      ({ filters }) =>
        filters.includes("search") && !filters.includes("externalId") && !filters.includes("accountId"),
    );
    expect(pages).toHaveLength(count);
    const matches = new RegExp(
      `(^|; )SEARCH ${table} USING (COVERING )?INDEX ${index} \\(organization_id=\\?`,
    );
    expect(namesWithout(pages, matches)).toEqual([]);
  },
);

test.each([
  ["contacts.list", "contacts", 48],
  ["meetings.list", "meetings", 40],
  ["requests.list", "requests", 80],
])("every list of one account's rows in %s reads rows of this account only", (list, table, count) => {
  const pages = variantsOf(list, "page").filter(({ filters }) => filters.includes("accountId"));
  expect(pages).toHaveLength(count);
  const rowsOfAccount = new RegExp(
    `^SEARCH ${table} USING .*\\((organization_id=\\? AND (account_id|external_id)=\\?|rowid=\\?)`,
  );
  const wide = pages.flatMap(({ name, plan }) =>
    plan
      .filter((line) => /^(SEARCH|SCAN) /.test(line) && !rowsOfAccount.test(line))
      .map((line) => `${line} in ${name}`),
  );
  expect([...new Set(wide)]).toEqual([]);
});

test("no statement scans a table with rows of organizations", () => {
  const scan = new RegExp(`^SCAN (${ownTables.join("|")})\\b`);
  expect(all.filter(({ plan }) => plan.some((line) => scan.test(line)))).toEqual([]);
});

test("the due jobs of an organization are found by probes of indexes that begin with the organization, without a sort", () => {
  const { plan = [] } = all.find(({ name }) => name === "jobs.due") ?? {};
  const [organizations, ...probes] = plan.filter((line) => !line.startsWith("CORRELATED SCALAR SUBQUERY"));
  expect(organizations).toBe("SEARCH organizations USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)");
  expect(probes.length).toBeGreaterThan(10);
  const probe = /^SEARCH \w+ USING .*\((?:organization_id=\?|rowid=\?\)$)/;
  expect(probes.filter((line) => !probe.test(line))).toEqual([]);
  expect(probes.filter((line) => line.includes("rowid=?"))).toEqual(
    ["health_progress", "health_progress", "organization_settings"].map(
      (table) => `SEARCH ${table} USING INTEGER PRIMARY KEY (rowid=?)`,
    ),
  );
});

test("the embedded lists of an account are read from covering indexes, in their order", () => {
  const { plan = [] } = all.find(({ name }) => name === "accounts.withLists") ?? {};
  for (const table of ["contacts", "meetings", "requests"])
    expect(plan.join("\n")).toMatch(
      new RegExp(`^SEARCH ${table} USING COVERING INDEX .*organization_id=\\?`, "m"),
    );
  expect(plan.filter((line) => line.includes("TEMP B-TREE"))).toEqual([]);
});

test("no statement reads all rows of an organization for a list of keys", () => {
  const lists = all.filter(
    (prepared) => prepared.sql.includes("in (select value from json_each(") && !hasFields(prepared),
  );
  expect(lists.length).toBeGreaterThan(0);
  const wide = lists.filter(
    ({ plan }) => !/^SEARCH \w+ USING .*\(organization_id=\? AND \w+=\?/.test(firstRead(plan)),
  );
  expect(wide).toEqual([]);
  const changes = all.filter(({ sql }) => /^(update|delete from) "(\w+)" .*"\2"\."id" = /.test(sql));
  expect(changes.length).toBeGreaterThan(200);
  const slow = changes.filter(({ plan }) => !/^SEARCH \w+ USING .*(rowid|AND id)=\?/.test(plan[0] ?? ""));
  expect(slow).toEqual([]);
});

test("a row is read by its key", () => {
  const byKey = all.filter(({ name }) => /\.(byId|listedById|byAccount)$|\/byKey\//.test(name));
  expect(byKey.length).toBeGreaterThan(370);
  expect(
    namesWithout(
      byKey,
      /^SEARCH \w+ USING (INTEGER PRIMARY KEY \(rowid=\?\)|.*\(organization_id=\? AND \w+=\?)/,
    ),
  ).toEqual([]);
});

test("a batch of the deletion of an organization reads keys without a sort, and deletes each row by its key", () => {
  const keys = all.filter(({ name }) => name.startsWith("organizations.keys."));
  const deletes = all.filter(({ name }) => name.startsWith("organizations.delete."));
  expect([keys.length, deletes.length]).toEqual([26, 26]);
  expect(namesWithout(keys, /^SEARCH \w+ USING [^;]*\((organization_id|rowid)=\?\)$/)).toEqual([]);
  const wholeKey =
    /^SEARCH \w+ USING (INTEGER PRIMARY KEY \(rowid=\?\)|PRIMARY KEY \(organization_id=\? AND [^;<>]*\))/;
  expect(namesWithout(deletes, wholeKey)).toEqual([]);
});

test("a step of an attachment reads a range of the pending events of one id, without a sort", () => {
  expect(planOf("attachments.events")).toBe(
    "SEARCH events USING INDEX events_parked (organization_id=? AND external_id=? AND timestamp>?)",
  );
});

test("every page that sorts, and every total that is counted, names the rows that it reads", () => {
  const mayBeSlow = all.filter(
    (prepared) =>
      /^[^/]+\/(page|keys|countAll|countAfter)\//.test(prepared.name) &&
      !isUnique(prepared) &&
      !hasFields(prepared) &&
      (isSorted(prepared) || prepared.name.includes("/count")),
  );
  expect(mayBeSlow).toHaveLength(428);
  expect(mayBeSlow.filter(({ name }) => !statementNamed(name).scanned).map(({ name }) => name)).toEqual([]);
});

const slices = (part: string) => all.filter(({ name }) => name.startsWith(`slices/${part}/`));

test("every page or total that may read many rows can be run in parts", () => {
  const mayBeSlow = all.filter(
    (prepared) =>
      /^[^/]+\.list\/(page|keys|countAll|countAfter|within|beyond)\//.test(prepared.name) &&
      !isUnique(prepared) &&
      !sortsFew(prepared.name) &&
      !prepared.name.includes("list:"),
  );
  expect(mayBeSlow.length).toBeGreaterThan(550);
  expect(mayBeSlow.filter(({ name }) => !statementNamed(name).slices).map(({ name }) => name)).toEqual([]);
});

test("a position is found in an index alone, and a part of a statement reads one range of an index", () => {
  const key = "\\(organization_id=\\?(?: AND (?:account_id|status|tier)=\\?| AND resource=\\? AND name=\\?)?";
  const index = "SEARCH \\w+ USING (?:COVERING INDEX \\w+|PRIMARY KEY)";
  // The filters by attributes of a row are read by keys.
  const attributeKey = "PRIMARY KEY \\([^;)]*row_id=\\? AND name=\\?\\)";
  const rowKey = "(?:INTEGER PRIMARY KEY|COVERING INDEX sqlite_autoindex_\\w+) \\([^;)]*rowid=\\?\\)";
  const byKey = `CORRELATED SCALAR SUBQUERY \\d+; SEARCH \\w+ USING (?:${attributeKey}|${rowKey})(?:; SEARCH \\w+ EXISTS USING ${attributeKey})?`;
  const [from, to] = [" AND \\w+>\\?", " AND \\w+<\\?"];
  // An external id occurs once.
  const isUnique = " AND external_id=\\?";
  const lists = `(?:; (?:LIST SUBQUERY \\d+; SCAN json_each[^;]*(?:; CREATE BLOOM FILTER)?|${byKey}))*(?:; USE TEMP B-TREE.*)?`;
  const patterns: [parts: string[], plan: string][] = [
    [["firstWithin", "lastWithin"], `${index} ${key}(?: AND \\w+=\\?)?\\)`],
    [["within"], `${index} ${key}(?:${isUnique}|(?: AND \\w+=\\?)?(?:${from}|${to}))\\)`],
    // A value that is not null is greater than null.
    [["after"], `${index} ${key}(?:${from}|(?:${from})?${to})\\)`],
    [
      ["countKeyRange", "rowsKeyRange"],
      `SEARCH \\w+ USING [A-Z ]+(?: \\w+)? ${key}(?:${isUnique}|(?: AND \\w+=\\?)?${from}${to})\\)(?:; USE TEMP B-TREE.*)?`,
    ],
    [
      ["countValueRange", "rowsValueRange"],
      `SEARCH \\w+ USING [A-Z ]+(?: \\w+)? ${key}${from}${to}\\)(?:; USE TEMP B-TREE.*)?`,
    ],
  ];
  for (const [parts, plan] of patterns)
    for (const part of parts) {
      expect(slices(part).length).toBeGreaterThan(350);
      expect(namesWithout(slices(part), new RegExp(`^${plan}${lists}$`))).toEqual([]);
    }
  const entries = `CO-ROUTINE entries; SEARCH \\w+ USING [A-Z ]+(?: \\w+)? ${key}(?: AND \\w+=\\?)?(?:${from})?(?:${to})?\\)`;
  const row = `(?:INTEGER PRIMARY KEY \\(rowid=\\?\\)|[A-Z ]+(?: \\w+)? ${key}(?: AND \\w+=\\?){1,3}\\))`;
  const conditions = lists.slice(0, lists.indexOf("(?:; USE TEMP"));
  const shortPage = new RegExp(`^${entries}${conditions}; SCAN entries; SEARCH \\w+ USING ${row}$`);
  expect(slices("shortPage").length).toBeGreaterThan(350);
  expect(namesWithout(slices("shortPage"), shortPage)).toEqual([]);
});

test("a part of a statement within one value reads the index in which its limits were found", () => {
  const plans = new Map(all.map(({ name, plan }) => [name, plan[0] ?? ""]));
  const indexOf = (name: string) => / (INDEX \w+|PRIMARY KEY)/.exec(plans.get(name) ?? "")?.[1];
  const parts = [...slices("countKeyRange"), ...slices("rowsKeyRange")].map(({ name }) => name);
  const within = (name: string) => name.replace(/(?:count|rows)KeyRange/, "within");
  expect(parts.length).toBeGreaterThan(700);
  expect(parts.filter((name) => !indexOf(name) || indexOf(name) !== indexOf(within(name)))).toEqual([]);
});

test("the first page of all accounts or requests in any order is a fast read", () => {
  const pages = all.filter(({ name }) => /^(accounts|requests|scores)\.list\/page\/\w+\/\w+\/$/.test(name));
  expect(pages).toHaveLength(2 * (6 + 5 + 3));
  expect(pages.filter(({ name }) => statementNamed(name).scanned).map(({ name }) => name)).toEqual([]);
});

test.each([
  ["accounts.list", "accounts"],
  ["requests.list", "requests"],
  ["scores.list", "accounts"],
])("the rows after a cursor of %s are read from a range of an index in their order", (list, table) => {
  const narrow = ["accountId", "externalId"];
  const pages = [...variantsOf(list, "within"), ...variantsOf(list, "beyond")].filter(
    ({ filters }) => !filters.some((filter) => narrow.includes(filter)),
  );
  expect(pages.length).toBeGreaterThan(20);
  const end = "\\w+(?:=\\? AND (?:rowid|id))?[<>]\\?";
  const range = `organization_id=\\? AND (?:(?:status|tier)=\\? AND )?${end}`;
  const inOrder = new RegExp(`^SEARCH ${table} USING (?:COVERING )?INDEX \\w+ \\(${range}\\)$`);
  expect(namesWithout(pages, inOrder)).toEqual([]);
});

/** The variants whose filters with operators are the given ones. */
function fieldVariants(list: string, statement: string, pattern: RegExp): Variant[] {
  return everyVariantOf(list, statement).filter(({ filters }) => pattern.test(filters.join("+")));
}

test.each([
  ["accounts.list", "accounts"],
  ["requests.list", "requests"],
])(
  "a range of %s in its own order, and one with few rows in another, is read from its index",
  (list, table) => {
    const isOwnOrder = ({ name, filters }: Variant) => filters[0] === `range:${name.split("/")[2]}`;
    const pages = fieldVariants(list, "page", /^range:\w+(\+(fields|field:\w+))?$/);
    const inOrder = pages.filter(isOwnOrder);
    expect(inOrder.length).toBeGreaterThan(2);
    const range = "\\(organization_id=\\? AND \\w+>\\? AND \\w+<\\?\\)";
    const search = `^SEARCH ${table} USING INDEX \\w+ ${range}`;
    expect(namesWithout(inOrder, new RegExp(search))).toEqual([]);
    expect(inOrder.filter(isSorted).map(({ name }) => name)).toEqual([]);
    const sorted = pages.filter((variant) => !isOwnOrder(variant));
    expect(sorted.length).toBeGreaterThan(5);
    expect(namesWithout(sorted, new RegExp(`${search}; .*USE TEMP B-TREE FOR ORDER BY$`))).toEqual([]);
    const counts = fieldVariants(list, "countAll", /^range:\w+$/).filter(isOwnOrder);
    expect(counts.length).toBeGreaterThan(1);
    const covering = new RegExp(`^SEARCH ${table} USING COVERING INDEX \\w+ ${range}$`);
    expect(namesWithout(counts, covering)).toEqual([]);
  },
);

test.each([
  ["accounts.list", "accounts"],
  ["requests.list", "requests"],
])(
  "rows of %s that match other filters are read in the order of an index, also after a cursor",
  (list, table) => {
    const inOrder = new RegExp(
      `^SEARCH ${table} USING INDEX \\w+ \\(organization_id=\\?[^;]*\\)(; LIST SUBQUERY.*)?$`,
    );
    for (const statement of ["page", "within", "beyond"]) {
      const pages = fieldVariants(list, statement, /^(status\+(literal\+)?)?(fields|field:\w+)$/);
      expect(pages.length).toBeGreaterThan(4);
      expect(namesWithout(pages, inOrder)).toEqual([]);
      expect(pages.filter(isSorted).map(({ name }) => name)).toEqual([]);
    }
  },
);

test.each(["accounts.list", "contacts.list"])(
  "a page of %s in the order of an attribute reads a range of the index of its values, without a sort",
  (list) => {
    const statementsOf = (statement: string, column: string, filter: string) =>
      all.filter(({ name }) =>
        new RegExp(`^${list}\\.byAttribute/${statement}/${column}/${filter}/\\w+/$`).test(name),
      );
    for (const column of ["text", "number"]) {
      const ofName = "organization_id=\\? AND resource=\\? AND name=\\?";
      const search = `^SEARCH attribute_values USING COVERING INDEX attribute_values_${column} \\(${ofName}`;
      const range = ` AND ${column}>\\? AND ${column}<\\?\\)`;
      for (const [statement, filter, plan] of [
        ["valued", "all", `(?: AND ${column}>\\?)?\\)$`],
        ["valued", "range", `${range}$`],
        ["valued", "list", range],
        ["valuedEntries", "list", `${range}$`],
        ["beyond", "range", `${range}$`],
        ["within", "range", ` AND ${column}=\\? AND row_id[<>]\\?\\)$`],
      ] as const) {
        const found = statementsOf(statement, column, filter);
        expect([statement, filter, found.length]).toEqual([statement, filter, 2]);
        expect(namesWithout(found, new RegExp(search + plan))).toEqual([]);
        expect(found.filter(isSorted)).toEqual([]);
        // SQLite would use one of two conditions on the same end.
        expect(found.filter(({ sql }) => (sql.match(/ >=? /g)?.length ?? 0) > 1)).toEqual([]);
      }
    }
  },
);

test("the values of few rows in the order of an attribute are read by their ids", () => {
  const few = all.filter(({ name }) => /\.byAttribute\/(?!missing).*attributeIds/.test(name));
  expect(few.length).toBeGreaterThan(50);
  const byId =
    /^SEARCH attribute_values USING PRIMARY KEY \(organization_id=\? AND resource=\? AND row_id=\? AND name=\?\)/;
  expect(namesWithout(few, byId)).toEqual([]);
});

test("the rows of a list of external ids are read by them", () => {
  const listed = all.filter(({ name }) =>
    /^\w+\.list\/(page|keys|countAll|within|beyond)\/.*list:externalId/.test(name),
  );
  expect(listed.length).toBeGreaterThan(20);
  const byId =
    /^SEARCH \w+ USING (COVERING )?INDEX sqlite_autoindex_\w+ \(organization_id=\? AND external_id=\?\)/;
  expect(namesWithout(listed, byId)).toEqual([]);
});
