import { eq, or, sql } from "drizzle-orm";
import { contains, integerInput, textInput } from "../../db/expressions.ts";
import { type AccountStatus, accounts } from "../../db/schema.ts";
import { fold } from "../core/folding.ts";
import { defineList, type Page } from "../core/list-query.ts";
import { offsetOf, paginationOf } from "../core/paging.ts";
import type { TenantSnapshot } from "../core/tenant.ts";
import { select } from "../core/tenant-statements.ts";
import { countAccounts } from "./counts.ts";
import { type AccountRow, listedFields } from "./resource.ts";

export const accountList = defineList({
  name: "accounts.list",
  from: accounts,
  key: accounts.id,
  fields: listedFields,
  sortBy: {
    name: accounts.foldedName,
    mrr: accounts.mrr,
    createdAt: accounts.createdAt,
    updatedAt: accounts.updatedAt,
  },
  defaultOrder: ["name", "asc"],
  filters: {
    status: eq(accounts.status, textInput("status")),
    externalId: eq(accounts.externalId, textInput("externalId")),
    search: or(
      contains(accounts.foldedName, textInput("search")),
      contains(accounts.foldedExternalId, textInput("search")),
    ),
  },
  caseInsensitive: ["search"],
  uniqueFilters: ["externalId"],
  searchColumn: "name",
  // SQLite uses the partial indexes of accounts that are not active only if the statement has this literal.
  literal: { filter: "status", unlessValue: "active", condition: sql`${accounts.status} <> 'active'` },
});

const byId = select("accounts.listedById", {
  fields: listedFields,
  from: accounts,
  where: eq(accounts.id, integerInput("id")),
});
type ListedRow = Omit<AccountRow, "contactActivityAt">;
type AccountQuery = Parameters<typeof accountList.read>[1] & { search?: string; status?: AccountStatus };

/** Matches that are sorted in memory, in another order than that of the index of names: some milliseconds. */
const maxSortedMatches = 1_000;

/** A page of the organization's accounts that match all filters. */
export async function listAccounts(snapshot: TenantSnapshot, query: AccountQuery): Promise<Page<ListedRow>> {
  const { search, externalId, status } = query;
  if (search && externalId === undefined) {
    const page = await searchIndex(snapshot, query, search);
    if (page) return page;
  }
  return accountList.read(snapshot, query, () =>
    search || externalId !== undefined ? undefined : countAccounts(snapshot, status),
  );
}

/** A page of matches from the index of account names. Undefined without an index, and for too many matches to sort. */
async function searchIndex(
  snapshot: TenantSnapshot,
  query: AccountQuery,
  search: string,
): Promise<Page<ListedRow> | undefined> {
  const { sortBy = "name", sortOrder, status, pageSize } = query;
  const isDescending = sortOrder === "desc";
  const offset = offsetOf(query);
  const page =
    sortBy === "name"
      ? { isDescending, limit: pageSize, offset }
      : { isDescending: false, limit: maxSortedMatches, offset: 0, maxTotal: maxSortedMatches };
  const matches = await snapshot.searchAccounts({ needle: fold(search), status, ...page });
  if (!matches) return undefined;
  const { ids, total } = matches;
  // Accounts that changed since the index was read are not among the rows that `maxTotal` limits.
  if (sortBy !== "name" && total > maxSortedMatches) return undefined;
  const found = await Promise.all(ids.map((id) => snapshot.first(byId, { id })));
  const rows = found.flatMap((row) => row ?? []);
  const pagination = paginationOf(query, total);
  if (sortBy === "name") return { rows, pagination };
  const sign = isDescending ? -1 : 1;
  rows.sort((a, b) => sign * (a[sortBy] - b[sortBy] || a.id - b.id));
  return { rows: rows.slice(offset, offset + pageSize), pagination };
}
