import { eq, or, sql } from "drizzle-orm";
import { contains, textInput } from "../../db/expressions.ts";
import { type AccountStatus, accounts } from "../../db/schema.ts";
import { defineList, type Page } from "../core/list-query.ts";
import type { TenantSnapshot } from "../core/tenant.ts";
import { countAccounts } from "./counts.ts";
import { listedFields } from "./resource.ts";
import { type ListedAccountRow, searchPage } from "./search.ts";

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

type AccountQuery = Parameters<typeof accountList.read>[1] & { search?: string; status?: AccountStatus };

/** A page of the organization's accounts that match all filters. */
export async function listAccounts(
  snapshot: TenantSnapshot,
  query: AccountQuery,
): Promise<Page<ListedAccountRow>> {
  const { search, externalId, status } = query;
  if (search && externalId === undefined) {
    const page = await searchPage(snapshot, { ...query, search });
    if (page) return page;
  }
  return accountList.read(snapshot, query, () =>
    search || externalId !== undefined ? undefined : countAccounts(snapshot, status),
  );
}
