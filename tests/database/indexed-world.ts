import { expect } from "bun:test";
import type { AccountSearch } from "../../db/engine.ts";
import { defaultLimits, type IndexLimits } from "../../db/sqlite/reads/account-index-cache.ts";
import { fold } from "../../src/core/folding.ts";
import { Random } from "../support/random.ts";
import { type Body, world } from "../support/world.ts";

const words = ["Acme", "Éclair", "Straße", "日本", "Motors", "gmbh", "x"];
const statuses = ["active", "onboarding", "churned"];

/** A search for which an index needs to read one matching row only. */
const search = { needle: "x", status: undefined, isDescending: false, limit: 1, offset: 0 };

/** Limits with which indexes are built, merged and dropped at small numbers of accounts. */
export const smallLimits: IndexLimits = {
  ...defaultLimits,
  minAccounts: 200,
  mergeAfter: 20,
  maxChanged: 200,
  dropAfter: 2_000,
  chunkRows: 50,
  searchRows: 60,
  maxAtOnceMilliseconds: 0,
};

/** A world, and whether the index of an organization is in use: a search that finds none starts its build. */
export async function indexedWorld(limits: Partial<IndexLimits> = {}, options: { isFair?: boolean } = {}) {
  const indexLimits = { ...smallLimits, ...limits };
  const here = await world({ ...options, indexLimits });
  const searchAccounts = (changed: Partial<AccountSearch> = {}) =>
    here.engine.read((snapshot) =>
      snapshot.searchAccounts({ organizationId: here.first.id, ...search, ...changed }),
    );
  const hasIndex = async (organizationId = here.first.id) =>
    (await searchAccounts({ organizationId })) !== undefined;
  return {
    ...here,
    indexLimits,
    searchAccounts,
    hasIndex,
    async untilIndexed(organizationId = here.first.id) {
      for (let i = 0; i < 400 && !(await hasIndex(organizationId)); i += 1) await Bun.sleep(5);
      expect(await hasIndex(organizationId)).toBe(true);
    },
    /** The names and the total of a search. */
    async namesOf(text: string, options: { key?: string } = {}) {
      const path = `/api/v1/accounts?pageSize=100&search=${encodeURIComponent(text)}`;
      const { data, pagination } = (await here.call("GET", path, undefined, options)).body;
      return { names: data.map(({ name }: Body) => name) as string[], total: Number(pagination.total) };
    },
    rename: (id: number, name: string) => here.call("PATCH", `/api/v1/accounts/${id}`, { name }),
  };
}

/** An indexed world whose first organization has many accounts of random names. */
export async function manyWorld(count: number, limits?: Partial<IndexLimits>) {
  const here = await indexedWorld(limits);
  const random = new Random(count);
  const randomAccount = (i: number) => ({
    name: `${random.of(words)} ${random.of(words)} ${random.below(300)}`,
    externalId: `cus_${i}`,
    status: random.of(statuses),
  });
  for (let from = 0; from < count; from += 100)
    await Promise.all(Array.from({ length: 100 }, (_, i) => here.account(randomAccount(from + i))));
  return { ...here, random, randomAccount };
}
export type ManyWorld = Awaited<ReturnType<typeof manyWorld>>;

async function everyAccount({ call }: ManyWorld): Promise<Body[]> {
  const rows: Body[] = [];
  for (let page = 1, isMore = true; isMore; page += 1) {
    const { body } = await call("GET", `/api/v1/accounts?pageSize=100&page=${page}`);
    rows.push(...body.data);
    isMore = body.pagination.hasNextPage;
  }
  return rows;
}

/** Compares some pages of some searches with the matches among all accounts. */
export async function expectCorrectSearches(here: ManyWorld): Promise<void> {
  const all = await everyAccount(here);
  for (const text of ["e", "acme", "MOTORS", "strasse", "cus_1", "cus_", "日本", "nobody", "x 7"]) {
    const needle = fold(text);
    const matches = all.filter(({ name, externalId }) =>
      [name, externalId ?? ""].some((value) => fold(String(value)).includes(needle)),
    );
    for (const status of ["", "churned"]) {
      const expected = status ? matches.filter((row) => row.churned) : matches;
      const pages = Math.max(1, Math.ceil(expected.length / 100));
      for (const page of new Set([1, 1 + here.random.below(pages), pages, pages + 1]))
        for (const sortOrder of ["asc", "desc"]) {
          const query = new URLSearchParams({ search: text, sortOrder, page: `${page}`, pageSize: "100" });
          if (status) query.set("status", status);
          const { data, pagination } = (await here.call("GET", `/api/v1/accounts?${query}`)).body;
          const inOrder = sortOrder === "asc" ? expected : expected.toReversed();
          const rows = inOrder.slice((page - 1) * 100, page * 100);
          expect([`${query}`, pagination.total, data]).toEqual([`${query}`, expected.length, rows]);
        }
      const sortBy = here.random.of(["mrr", "createdAt", "updatedAt"]);
      const page = 1 + here.random.below(pages);
      const order = new URLSearchParams({ search: text, sortBy, page: `${page}`, pageSize: "100", status });
      if (!status) order.delete("status");
      const { data, pagination } = (await here.call("GET", `/api/v1/accounts?${order}`)).body;
      const inOrder = expected.toSorted((a, b) => compare(a[sortBy], b[sortBy]) || compare(a.id, b.id));
      const rows = inOrder.slice((page - 1) * 100, page * 100);
      expect([`${order}`, pagination.total, data]).toEqual([`${order}`, expected.length, rows]);
    }
  }
}

/** Numbers, or times of one format. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return Buffer.compare(Buffer.from(`${a}`), Buffer.from(`${b}`));
}
