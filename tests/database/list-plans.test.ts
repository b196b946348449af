import { expect, test } from "bun:test";
import type { ListName, Query } from "./list-statements.ts";
import { isOfList, namesWithout, type Prepared, prepareAll, prepareList } from "./prepared.ts";

const all = await prepareAll();

const first = (index: string, range = "") => `SEARCH \\w+ USING ${index} \\(organization_id=\\?${range}\\)`;
const keys = (read: string) =>
  `(?:CO-ROUTINE \\(subquery-\\d+\\); )?CO-ROUTINE page; ${read}; SCAN page; SEARCH \\w+ USING INTEGER PRIMARY KEY`;
/** The keys of a page, and the number of all matches if the page is full. */
const countedKeys = (read: string) => `${keys(read)}.*; SCALAR SUBQUERY \\d+; ${read}`;
const among = (list: string) => `(?:; LIST SUBQUERY \\d+)?; ${list}(?:; CREATE BLOOM FILTER)?`;
const json = among("SCAN json_each[^;]*");
const byValue = first("COVERING INDEX attribute_values_text", " AND resource=\\? AND name=\\?");
const sort = "; USE TEMP B-TREE FOR ORDER BY";
const few = /page few rows$/;
const many = /page many rows$/;
const after = /"after" \w+ rows$/;

// Each row is a case in which SQLite would read many more rows without a hint, a literal or an index.
test.each<[reason: string, list: ListName, query: Query, statement: RegExp, plan: string]>([
  ["an order is an index", "accounts", { sortBy: "mrr" }, few, first("INDEX accounts_mrr")],
  [
    "a literal selects the partial index of a status",
    ...(["accounts", { sortBy: "mrr", status: "churned" }, few] as const),
    first("INDEX accounts_status_mrr", " AND status=\\?"),
  ],
  [
    "after a cursor: rows with its value, and rows after its value",
    ...(["accounts", { sortBy: "mrr" }, after] as const),
    first("INDEX accounts_mrr", " AND mrr(?:=\\? AND id)?[<>]\\?"),
  ],
  [
    "few matches: coalesce, so that the index of the filter is read",
    ...(["accounts", { sortBy: "name", "mrr.gte": 1, "mrr.lt": 2 }, few] as const),
    keys(first("INDEX accounts_mrr", " AND mrr>\\? AND mrr<\\?") + sort),
  ],
  [
    "many matches: case, so that the index of the order is read",
    ...(["accounts", { sortBy: "name", "mrr.gte": 1, "mrr.lt": 2 }, many] as const),
    keys(first("INDEX accounts_name")),
  ],
  [
    "a range of the order is a range of its index",
    ...(["accounts", { sortBy: "mrr", "mrr.gte": 1, "mrr.lt": 2 }, many] as const),
    keys(first("COVERING INDEX accounts_mrr", " AND mrr>\\? AND mrr<\\?")),
  ],
  [
    "a search in the order of names reads their index alone",
    ...(["accounts", { sortBy: "name", search: "a" }, few] as const),
    countedKeys(first("COVERING INDEX accounts_name")),
  ],
  [
    "few matches of a search in another order are found in the index of names",
    ...(["accounts", { sortBy: "mrr", search: "a" }, few] as const),
    keys(first("COVERING INDEX accounts_mrr") + among(first("COVERING INDEX accounts_name")) + sort),
  ],
  [
    "a search with another filter reads a row only if its name matches",
    ...(["accounts", { search: "a", tier: "healthy,critical" }, /count$/] as const),
    `${first("COVERING INDEX \\w+", "[^;]*")}(?:${json}|${among(first("COVERING INDEX accounts_name"))})+`,
  ],
  [
    "rows of one account",
    ...(["meetings", { sortBy: "startAt", accountId: 1 }, few] as const),
    keys(first("COVERING INDEX meetings_account", " AND account_id=\\?")),
  ],
  [
    "a list of unique values",
    ...(["accounts", { sortBy: "mrr", "externalId.in": "a,b" }, few] as const),
    first("INDEX sqlite_autoindex_accounts_2", " AND external_id=\\?") + json + sort,
  ],
  [
    "few rows of an account in another order",
    ...(["contacts", { sortBy: "name", accountId: 1 }, /rows$/] as const),
    keys(first("INDEX \\w+", " AND account_id=\\?") + sort),
  ],
  [
    "a count of a range reads its index alone",
    ...(["accounts", { "mrr.gte": 1, "mrr.lt": 2 }, /count$/] as const),
    first("COVERING INDEX accounts_mrr", " AND mrr>\\? AND mrr<\\?"),
  ],
  [
    "an order by an attribute is the index of its values",
    ...(["accounts", { sortBy: "attributes.plan" }, few] as const),
    `(?:${keys(byValue.replace("\\)", "(?: AND text>\\?)?\\)"))}|${keys(`${first("COVERING INDEX sqlite_autoindex_accounts_1")}${among(byValue.replace("\\)", " AND text>\\?\\)"))}`)})`,
  ],
  [
    "a filter by an attribute reads the index of its values once",
    ...(["accounts", { sortBy: "name", "attributes.plan": "pro" }, many] as const),
    keys(first("COVERING INDEX accounts_name") + among(byValue.replace("\\)", " AND text=\\?\\)"))),
  ],
  [
    "of two lists of keys only one finds rows: SQLite would read each pair of their keys",
    ...(["accounts", { search: "a", "attributes.plan": "pro" }, /count$/] as const),
    "(?!.*AND rowid=)SEARCH",
  ],
])("SQLite: %s (%s %j)", async (_, list, query, statement, plan) => {
  const found = (await prepareList(list, query)).filter(({ name }) => statement.test(name));
  expect(found.length).toBeGreaterThan(0);
  expect(namesWithout(found, new RegExp(`^${plan}`))).toEqual([]);
  const mustSort = plan.includes(sort);
  // The rows of a page may be sorted again where each has their number.
  const ofMatches = ({ plan }: Prepared) =>
    plan.includes("SCAN page") ? plan.slice(0, plan.indexOf("SCAN page")) : plan;
  const sorts = (statement: Prepared) => ofMatches(statement).some((line) => line.includes("TEMP B-TREE"));
  expect(found.filter((statement) => sorts(statement) !== mustSort)).toEqual([]);
});

test("every statement of a list begins with rows of the organization, or of an attribute of it", () => {
  const own = /^(?:CO-ROUTINE (?:page|\(subquery-\d+\)); )*SEARCH \w+ USING .*?\(organization_id=\?/;
  expect(namesWithout(all.filter(isOfList), own)).toEqual([]);
});
