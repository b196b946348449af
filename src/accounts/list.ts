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

/** A page of the organization's accounts that match all filters. */
export async function listAccounts(snapshot: TenantSnapshot, query: AccountQuery): Promise<Page<ListedRow>> {
  const { search, externalId, status, sortBy = "name" } = query;
  if (search && externalId === undefined && sortBy === "name") {
    const page = await searchIndex(snapshot, query, search);
    if (page) return page;
  }
  return accountList.read(snapshot, query, () =>
    search || externalId !== undefined ? undefined : countAccounts(snapshot, status),
  );
}

/** A page of matches from the index of account names. Undefined when there is no index now. */
async function searchIndex(
  snapshot: TenantSnapshot,
  query: AccountQuery,
  search: string,
): Promise<Page<ListedRow> | undefined> {
  const matches = await snapshot.searchAccounts({
    needle: fold(search),
    status: query.status,
    isDescending: query.sortOrder === "desc",
    limit: query.pageSize,
    offset: offsetOf(query),
  });
  if (!matches) return undefined;
  const rows = await Promise.all(matches.ids.map((id) => snapshot.first(byId, { id })));
  return { rows: rows.flatMap((row) => row ?? []), pagination: paginationOf(query, matches.total) };
}
