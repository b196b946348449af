import { describe, expect, test } from "bun:test";
import { fold } from "../../src/core/folding.ts";
import { Random } from "../support/random.ts";
import { seedsUpTo } from "../support/seeds.ts";
import type { Body } from "../support/world.ts";
import { type AttributedResource, attributeWorld, resources } from "./attribute-world.ts";

type Value = string | number | boolean;
type Row = { id: number; attributes: Record<string, Value> };

const plans = ["free", "pro", "team", "", "Pro", "a,b", "none", "é", "E\u0301", "\u{1f600}", "\uffff"];
const shares = [0.1, 0.2, 0.1 + 0.2, -5, 0, 1e21, 5e-324, 7];

/** Random attributes. More than 500 of 1,000 rows have the plan `pro`. */
function randomAttributes(random: Random): Record<string, Value> {
  const attributes: Record<string, Value> = {};
  if (random.below(5) > 0) attributes.plan = random.below(4) > 0 ? "pro" : random.of(plans);
  if (random.below(6) > 0) attributes.share = random.of(shares);
  if (random.below(2) > 0) attributes.trial = random.below(2) === 1;
  if (random.below(8) === 0) Object.assign(attributes, { toString: "x" });
  return attributes;
}

/** Rows with random attributes, of an organization among others. */
async function filledWorld(
  resource: AttributedResource,
  { seed, rowCount }: { seed: number; rowCount: number },
) {
  const here = await attributeWorld(resource);
  const random = new Random(seed);
  const options = { key: here.second.key };
  const { id } = await here.account({ name: "Theirs", attributes: { plan: "pro" } }, options);
  const path = `/api/v1/accounts/${id}/contacts`;
  await here.call("POST", path, { name: "Theirs", attributes: { plan: "pro" } }, options);
  const sent = Array.from({ length: rowCount }, () => randomAttributes(random));
  const accounts = sent.map((attributes, i) => ({
    ...{ externalId: `x${i}`, name: `N ${i % 5}` },
    ...(resource.noun === "account"
      ? { attributes }
      : { contacts: [{ externalId: `c${i}`, name: `N ${i % 5}`, attributes }] }),
  }));
  const reply = await here.call("POST", "/api/v1/accounts/batch", { accounts });
  expect(reply.body.data.created).toBe(rowCount);
  const rows: Row[] = resource.noun === "account" ? [{ id: 1, attributes: {} }] : [];
  const first = resource.noun === "account" ? reply.body.data.results[0].id : 2;
  rows.push(...sent.map((attributes, i) => ({ id: first + i, attributes })));
  const read = async (query: string): Promise<{ status: number; body: Reply }> => {
    const reply = await here.call("GET", `${resource.rows}?${query}`);
    return { status: reply.status, body: reply.body };
  };
  /** The ids of all pages, by number or by cursor. */
  async function readAll(
    query: string,
    pageSize: number,
  ): Promise<{ pages: number[]; cursors: number[]; total: number }> {
    const pages: number[] = [];
    let total = 0;
    for (let page = 1, isMore = true; isMore; page++) {
      const { body } = await read(`${query}&pageSize=${pageSize}&page=${page}`);
      pages.push(...body.data.map(({ id }) => id));
      total = body.pagination.total;
      isMore = body.pagination.hasNextPage;
    }
    const cursors: number[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { body } = await read(`${query}&pageSize=${pageSize}&cursor=${cursor}`);
      cursors.push(...body.data.map(({ id }) => id));
      cursor = body.pagination.nextCursor;
    }
    return { pages, cursors, total };
  }
  return { ...here, rows, read, readAll, random };
}
type Reply = {
  data: { id: number }[];
  pagination: { total: number; hasNextPage: boolean; nextCursor: string | null };
  code?: string;
  errors?: Body[];
};

/** The order of values: numbers, false before true, texts by their bytes. */
function compare(a: Value, b: Value): number {
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Math.sign(Number(a) - Number(b));
}

/** Filters as query parameters, with their meaning. */
function filterOf(random: Random): { query: string; matches: (row: Row) => boolean } {
  const [name, values] = random.of<[string, readonly Value[]]>([
    ["plan", plans.filter((plan) => plan !== "none")],
    ["share", shares],
    ["trial", [true, false]],
  ]);
  const value = random.of(values);
  const text = encodeURIComponent(String(value));
  const has = (row: Row, test: (actual: Value) => boolean) => {
    const actual = row.attributes[name];
    return actual !== undefined && test(actual);
  };
  const list = [value, random.of(values)];
  const listed = list.map((item) => encodeURIComponent(String(item).replace(/[\\,]/g, "\\$&"))).join(",");
  const folded = [
    {
      query: `attributes.plan[contains]=${encodeURIComponent([...String(value)].slice(0, 1).join(""))}`,
      matches: (row: Row) =>
        has(row, (actual) => fold(String(actual)).includes(fold([...String(value)].slice(0, 1).join("")))),
    },
    {
      query: `attributes.plan[ieq]=${text}`,
      matches: (row: Row) => has(row, (actual) => fold(String(actual)) === fold(String(value))),
    },
  ];
  return random.of([
    ...(name === "plan" ? folded : []),
    { query: `attributes.${name}=${text}`, matches: (row: Row) => has(row, (actual) => actual === value) },
    { query: `attributes.${name}=none`, matches: (row: Row) => row.attributes[name] === undefined },
    {
      query: `attributes.${name}[in]=${listed}`,
      matches: (row: Row) => has(row, (actual) => list.includes(actual)),
    },
    {
      query: `attributes.${name}[gt]=${text}`,
      matches: (row: Row) => has(row, (actual) => compare(actual, value) > 0),
    },
    {
      query: `attributes.${name}[gte]=${text}`,
      matches: (row: Row) => has(row, (actual) => compare(actual, value) >= 0),
    },
    {
      query: `attributes.${name}[lt]=${text}`,
      matches: (row: Row) => has(row, (actual) => compare(actual, value) < 0),
    },
    {
      query: `attributes.${name}[lte]=${text}`,
      matches: (row: Row) => has(row, (actual) => compare(actual, value) <= 0),
    },
  ]);
}

/** Whether the model has a meaning for the filters together: no parameter twice, and `none` alone. */
function isMeaningful(queries: readonly string[]): boolean {
  const names = queries.map((query) => query.split("=")[0]);
  return (
    new Set(names).size === names.length &&
    (queries.length === 1 || !queries.some((query) => query.endsWith("=none")))
  );
}

describe.each([...resources])("$resource", (resource) => {
  test.each([
    ...seedsUpTo(3).map((seed) => ({ seed, rowCount: 40, queryCount: 40, pageSize: 7 })),
    { seed: 9, rowCount: 1_000, queryCount: 12, pageSize: 100 },
  ])(
    "filters and orders find the rows that a model finds, in its order: $seed",
    async ({ seed, rowCount, queryCount, pageSize }) => {
      const { rows, readAll, random } = await filledWorld(resource, { seed, rowCount });
      for (let i = 0; i < queryCount; i++) {
        const filters = Array.from({ length: random.below(4) }, () => filterOf(random));
        const queries = filters.map(({ query }) => query);
        if (!isMeaningful(queries)) continue;
        const order = random.of(["plan", "share", "trial", "unused", "id"]);
        const sortOrder = random.of(["asc", "desc"] as const);
        const sign = sortOrder === "asc" ? 1 : -1;
        const expected = rows.filter((row) => filters.every(({ matches }) => matches(row)));
        const orderValueOf = (row: Row) => (order === "id" ? row.id : row.attributes[order]);
        expected.sort((a, b) => {
          const [one, other] = [orderValueOf(a), orderValueOf(b)];
          if (one === undefined || other === undefined)
            return sign * (Number(one === undefined) - Number(other === undefined) || a.id - b.id);
          return sign * (compare(one, other) || a.id - b.id);
        });
        const query = [
          `sortOrder=${sortOrder}`,
          `sortBy=${order === "id" ? "createdAt" : `attributes.${order}`}`,
          ...queries,
        ].join("&");
        const ids = expected.map(({ id }) => id);
        expect([query, await readAll(query, pageSize)]).toEqual([
          query,
          { pages: ids, cursors: ids, total: ids.length },
        ]);
      }
    },
  );
});
