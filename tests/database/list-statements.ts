import type { Snapshot, Value, Values } from "../../db/engine.ts";
import type { Statement } from "../../db/statements.ts";
import { accountList } from "../../src/accounts/list.ts";
import { keyList } from "../../src/api-keys/organization-keys.ts";
import { contactList } from "../../src/contacts/store.ts";
import { encodeCursor } from "../../src/core/lists/cursor.ts";
import type { ListFilter } from "../../src/core/lists/fields.ts";
import type { List } from "../../src/core/lists/list.ts";
import { type PageRequest, type SortOrder, sortOrders } from "../../src/core/lists/paging.ts";
import { cursorScope, parseRequest } from "../../src/core/lists/request.ts";
import { TenantSnapshot } from "../../src/core/tenant/transaction.ts";
import { unmatchedList } from "../../src/events/pending.ts";
import { featureRequestList } from "../../src/feature-requests/store.ts";
import { healthList } from "../../src/health-scores/store.ts";
import { meetingList } from "../../src/meetings/store.ts";

export type Query = Readonly<Record<string, string | number>>;
/** A statement of a list, named `list query part`. */
export type ListStatement = { name: string; statement: Statement<unknown>; values: Values };
type Request = PageRequest & { readonly [parameter: string]: string | number | undefined };
type AnyListed = List<unknown, string>;

// Safe: the requests below have parameters of the lists only.
const lists = {
  accounts: accountList,
  contacts: contactList,
  meetings: meetingList,
  requests: featureRequestList,
  health: healthList,
  unmatched: unmatchedList,
  keys: keyList,
} as unknown as Record<string, AnyListed>;
export type ListName = "accounts" | "contacts" | "meetings" | "requests" | "health" | "unmatched" | "keys";

const attributeTypes: Record<string, string> = { plan: "string", seats: "number" };
const attributed = ["accounts", "contacts"];
const samples: Record<ListFilter["kind"], string> = {
  search: "a",
  account: "1",
  id: "1,2",
  number: "1.5",
  integer: "1",
  timestamp: "2026-01-01",
  text: "a",
  choice: "",
  boolean: "true",
};

/** The filters of a list, in the forms of each field. */
function filtersOf(name: string, { definition: { filters } }: AnyListed): Query[][] {
  const fields = Object.entries(filters).map(([field, { kind, ...definition }]): Query[] => {
    const sample = samples[kind];
    if (kind === "search" || kind === "account") return [{ [field]: sample }];
    if (kind === "id") return [{ [`${field}.in`]: sample }];
    if (kind === "boolean") return [{ [field]: "true" }, { [field]: "false" }];
    if (kind === "text") return [{ [field]: "a" }, { [field]: "none" }, { [`${field}.in`]: "a,b" }];
    const [first = "", second = ""] = "values" in definition ? (definition.values ?? []) : [];
    if (kind === "choice")
      return [{ [field]: first }, { [field]: second }, { [field]: `${first},${second},none` }];
    const range = { [`${field}.gte`]: sample, [`${field}.lt`]: sample };
    return [{ [field]: sample }, { [field]: "none" }, { [`${field}.in`]: `${sample},${sample}` }, range];
  });
  const attributes: Query[] = attributed.includes(name)
    ? [
        { "attributes.plan": "pro" },
        { "attributes.plan": "none" },
        { "attributes.plan.contains": "a", "attributes.plan.ieq": "b" },
        { "attributes.seats.gt": "1", "attributes.plan.in": "pro,team" },
      ]
    : [];
  return [...fields, attributes];
}

const hasAll = Bun.env.TEST_STATEMENTS === "all";

/** Pairs of filters of different fields, each pair of fields in one of its forms; the full tests have all forms. */
function pairsOf(fields: Query[][]): Query[] {
  return fields.flatMap((forms, i) =>
    fields.slice(i + 1).flatMap((others, offset) => {
      const pairs = forms.flatMap((form) => others.map((other) => ({ ...form, ...other })));
      return hasAll ? pairs : pairs.slice((i + offset) % pairs.length).slice(0, 1);
    }),
  );
}

/** Every statement that the requests of all lists use: orders, filters, pairs of filters, pages and cursors. */
export async function everyListStatement(): Promise<ListStatement[]> {
  const all: ListStatement[] = [];
  for (const [name, list] of Object.entries(lists)) {
    const fields = filtersOf(name, list);
    const filters = fields.flat();
    const byAttributes = attributed.includes(name) ? ["attributes.plan", "attributes.none"] : [];
    const orders = [...Object.keys(list.definition.sortBy), ...byAttributes];
    for (const [i, sortBy] of orders.entries()) {
      all.push(...(await statementsOf(name as ListName, { sortBy })));
      // Each filter in one order; the full tests have every order.
      for (const query of filters.filter((_, j) => hasAll || (i + j) % orders.length === 0))
        all.push(...(await statementsOf(name as ListName, { ...query, sortBy })));
    }
    for (const query of pairsOf(fields)) all.push(...(await statementsOf(name as ListName, query, ["asc"])));
  }
  return all;
}

const pages: PageRequest[] = [
  { page: 1, pageSize: 25 },
  { page: 1, pageSize: 25, cursor: "" },
  { page: 1, pageSize: 25, cursor: "after" },
  { page: 1, pageSize: 25, cursor: "after a missing value" },
];

/** The statements of a request in some directions, with few and with many matches, each once. */
export async function statementsOf(
  name: ListName,
  query: Query,
  directions: readonly SortOrder[] = sortOrders,
): Promise<ListStatement[]> {
  const list = lists[name] as AnyListed;
  const found = new Map<Statement<unknown>, ListStatement>();
  for (const page of pages)
    for (const sortOrder of directions)
      for (const total of [10, 1_000_000]) {
        const request = { ...query, sortOrder, ...page };
        const described = `${name} ${JSON.stringify({ ...query, sortOrder })} ${page.cursor === undefined ? "page" : JSON.stringify(page.cursor)} ${total === 10 ? "few" : "many"}`;
        const record = (statement: Statement<unknown>, values: Values) => {
          const part = statement.columns.length === 1 ? "count" : "rows";
          if (!found.has(statement))
            found.set(statement, { name: `${described} ${part}`, statement, values });
        };
        await readWith(list, request, total, record);
      }
  return [...found.values()];
}

async function readWith(
  list: AnyListed,
  request: Request,
  total: number,
  record: (statement: Statement<unknown>, values: Values) => void,
): Promise<void> {
  const answer = (statement: Statement<unknown>, values: Values): Record<string, Value>[] => {
    if (statement.name === "attributeNames.named")
      return JSON.parse(String(values.names)).flatMap((name: string) => {
        const type = attributeTypes[name];
        return type ? [{ name, type, count: 1 }] : [];
      });
    if (/^attributeValues.textsOf|^declaredAttributes/.test(statement.name)) return [];
    if (statement.name === "accountCounts.total") return [{ count: total }];
    record(statement, values);
    return statement.columns.length === 1 ? [{ count: total }] : [];
  };
  const snapshot = {
    now: 0,
    all: async (statement: Statement<unknown>, values: Values) => answer(statement, values),
    first: async (statement: Statement<unknown>, values: Values) => answer(statement, values)[0],
  };
  const cursor = request.cursor?.startsWith("after") ? cursorOf(list, request) : request.cursor;
  // Safe: lists use these members only.
  const tenant = new TenantSnapshot(snapshot as unknown as Snapshot, 1, "key");
  await list.request({ ...request, ...(cursor !== undefined && { cursor }) } as never, 0).read(tenant);
}

/** A cursor after a row with a value, or, in an order by an attribute, without one. */
function cursorOf(list: AnyListed, request: Request): string {
  const parsed = parseRequest(list.definition, request as never, 0);
  const { orderAttribute } = parsed;
  const isText = orderAttribute !== undefined && attributeTypes[orderAttribute] === "string";
  const position = request.cursor === "after" || orderAttribute === undefined ? [isText ? "a" : 1, 1] : [1];
  return encodeCursor("key", { organizationId: 1, query: cursorScope(list.definition, parsed) }, position);
}
