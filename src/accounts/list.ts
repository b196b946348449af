import { eq, or, sql } from "drizzle-orm";
import { contains, textInput } from "../../db/expressions.ts";
import { type AccountStatus, accounts, healthTiers, NO_ACTIVITY, UNSCORED_RANK } from "../../db/schema.ts";
import { countAccounts } from "../account-counts/counts.ts";
import { fold } from "../core/folding.ts";
import { externalIdFields } from "../core/lists/fields.ts";
import { defineList, type Page } from "../core/lists/query.ts";
import type { TenantSnapshot } from "../core/tenant/tenant.ts";
import { accountStatuses } from "../shared/fields/accounts.ts";
import { listedFields } from "./resource.ts";
import { findFewMatches, type ListedAccountRow, searchPage } from "./search.ts";

export const accountList = defineList({
  name: "accounts.list",
  from: accounts,
  key: accounts.id,
  fields: { ...listedFields, contactActivityAt: accounts.contactActivityAt },
  sortBy: {
    name: accounts.foldedName,
    mrr: accounts.mrr,
    createdAt: accounts.createdAt,
    updatedAt: accounts.updatedAt,
    contactActivityAt: accounts.activityAt,
    healthScore: accounts.rank,
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
  filterFields: {
    mrr: { kind: "number", column: accounts.mrr },
    createdAt: { kind: "timestamp", column: accounts.createdAt },
    updatedAt: { kind: "timestamp", column: accounts.updatedAt },
    contactActivityAt: { kind: "timestamp", column: accounts.activityAt, none: NO_ACTIVITY },
    healthScore: { kind: "number", column: accounts.rank, none: UNSCORED_RANK, maximum: 100 },
    status: { kind: "choice", column: accounts.status, values: accountStatuses },
    tier: { kind: "choice", column: accounts.tier, values: healthTiers, none: "none" },
    ...externalIdFields(accounts.externalId),
  },
  foldedInputs: { search: fold },
  uniqueFilters: ["externalId"],
  searchColumn: "name",
  attributes: "account",
  countAll: countAccounts,
  // SQLite uses the partial indexes of accounts that are not active only if the statement has this literal.
  literal: { filter: "status", unlessValue: "active", condition: sql`${accounts.status} <> 'active'` },
});

type AccountQuery = Parameters<typeof accountList.read>[1] & { search?: string; status?: AccountStatus };

/** Whether the order or a filter reads what the score job stores. */
export function readsScores(query: object & { sortBy?: string }): boolean {
  const names = [query.sortBy ?? "", ...Object.keys(query)];
  return names.some((name) => /^(contactActivityAt|healthScore|tier)\b/.test(name));
}

/** A page of the organization's accounts that match all filters. */
export async function listAccounts(
  snapshot: TenantSnapshot,
  query: AccountQuery,
): Promise<Page<ListedAccountRow>> {
  const { search, externalId, status } = query;
  const isSearch = search !== undefined && search !== "" && externalId === undefined;
  const hasFieldFilters = isSearch && accountList.hasFieldFilters(query);
  if (isSearch && !hasFieldFilters && query.cursor === undefined) {
    const page = await searchPage(snapshot, { ...query, search });
    if (page) return page;
  }
  return accountList.read(snapshot, query, {
    searchIds: hasFieldFilters ? await findFewMatches(snapshot, search) : undefined,
    total: ({ selected, inputs }) => {
      const isStored = selected.every((name) => name === "status" || name === "tier");
      if (search || externalId !== undefined || !isStored) return undefined;
      return countAccounts(snapshot, {
        status: selected.includes("status") ? undefined : status,
        statusList: inputs.statusList,
        tierList: inputs.tierList,
      });
    },
  });
}
