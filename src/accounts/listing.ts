import { and, asc, count, desc, eq, or, type SQL } from "drizzle-orm";
import { accountCounts, accounts } from "../../db/schema.ts";
import { contains, integerInput, isAfter, textInput } from "../../db/statements.ts";
import { fold } from "../folding.ts";
import { offsetOf, type PageRequest, type Pagination, paginationOf } from "../paging.ts";
import { idsOf, select, type Tenant } from "../tenant.ts";
import type { AccountListing } from "./input.ts";
import type { AccountRow } from "./model.ts";
import { listed } from "./store.ts";

/** What of a listing makes another statement; all else of it is a value. */
type Shape = Required<Pick<AccountListing, "sortBy" | "sortOrder">> & {
  filters: readonly ("status" | "externalId" | "search")[];
};
export type AccountPage = { rows: Omit<AccountRow, "contactActivityAt">[]; pagination: Pagination };

/** A page of the organization's accounts, all given filters holding, in an order that ends in id. */
export async function listAccounts(
  tenant: Tenant,
  asked: PageRequest & AccountListing,
): Promise<AccountPage> {
  const { sortBy = "name", sortOrder = "asc", status, externalId } = asked;
  const search = asked.search ? fold(asked.search) : undefined;
  const given = {
    ...(status && { status }),
    ...(externalId !== undefined && { externalId }),
    ...(search && { search }),
  };
  const { page, countAll, countAfter } = statementsOf({
    sortBy,
    sortOrder,
    filters: Object.keys(given) as Shape["filters"],
  });
  const offset = offsetOf(asked);
  const rows = await tenant.rows.all(page, { ...given, limit: asked.pageSize, offset });
  const total = await totalOf();
  return { rows, pagination: paginationOf(asked, total) };

  /** A search reads the organization's names once: the page reads down to its last row, this the rest. */
  async function totalOf(): Promise<number> {
    if (search === undefined && externalId === undefined) return storedTotal(tenant, status);
    const last = rows.at(-1);
    if (rows.length < asked.pageSize && (last || offset === 0)) return offset + rows.length;
    if (!last || !countAfter) return (await tenant.rows.first(countAll, given))?.count ?? 0;
    const after = { lastName: last.foldedName, lastId: last.id };
    const rest = await tenant.rows.first(countAfter, { ...given, ...after });
    return offset + rows.length + (rest?.count ?? 0);
  }
}

const counts = select({
  fields: { status: accountCounts.status, count: accountCounts.count },
  from: accountCounts,
});

async function storedTotal(tenant: Tenant, status: AccountListing["status"]): Promise<number> {
  const rows = await tenant.rows.all(counts, {});
  return rows.reduce(
    (sum, row) => (status === undefined || row.status === status ? sum + row.count : sum),
    0,
  );
}

const known = new Map<string, ReturnType<typeof newStatements>>();

function statementsOf(shape: Shape): ReturnType<typeof newStatements> {
  const key = `${shape.sortBy} ${shape.sortOrder} ${shape.filters}`;
  const statements = known.get(key) ?? newStatements(shape);
  known.set(key, statements);
  return statements;
}

function newStatements({ sortBy, sortOrder, filters }: Shape) {
  const byName = sortBy === "name";
  const column = byName ? accounts.foldedName : accounts[sortBy];
  const direction = sortOrder === "asc" ? asc : desc;
  const where = and(...filters.map((filter) => conditions[filter]));
  const last: [SQL, SQL] = [textInput("lastName"), integerInput("lastId")];
  const afterLast = isAfter([accounts.foldedName, accounts.id], last, sortOrder);
  const total = { count: count() };
  return {
    page: select({
      fields: { ...listed, foldedName: accounts.foldedName },
      from: accounts,
      // In name order the index is read as far as the page goes. In another order the matches come first,
      // from the same index: reading rows in that order would read every row of the organization.
      where: filters.includes("search") && !byName ? idsOf({ from: accounts, where }) : where,
      orderBy: [direction(column), direction(accounts.id)],
      paged: true,
    }),
    countAll: select({ fields: total, from: accounts, where }),
    countAfter: byName ? select({ fields: total, from: accounts, where: and(where, afterLast) }) : undefined,
  };
}

const conditions: Record<Shape["filters"][number], SQL | undefined> = {
  status: eq(accounts.status, textInput("status")),
  externalId: eq(accounts.externalId, textInput("externalId")),
  search: or(
    contains(accounts.foldedName, textInput("search")),
    contains(accounts.foldedExternalId, textInput("search")),
  ),
};
