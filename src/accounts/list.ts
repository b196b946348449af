import { eq, sql } from "drizzle-orm";
import { accounts } from "../../db/schema.ts";
import { textInput } from "../../db/statements.ts";
import { defineList, type Page } from "../core/list-query.ts";
import type { PageRequest } from "../core/paging.ts";
import type { Tenant } from "../core/tenant.ts";
import { countAccounts } from "./counts.ts";
import type { AccountListing } from "./input.ts";
import type { AccountRow } from "./model.ts";
import { hasText, searchByName } from "./search.ts";
import { listedFields } from "./store.ts";

const list = defineList({
  from: accounts,
  key: accounts.id,
  fields: listedFields,
  sortBy: {
    name: accounts.foldedName,
    mrr: accounts.mrr,
    createdAt: accounts.createdAt,
    updatedAt: accounts.updatedAt,
  },
  order: ["name", "asc"],
  filters: {
    status: eq(accounts.status, textInput("status")),
    // Said in so many words, for the indexes of these accounts are used only then.
    unlessActive: sql`${accounts.status} <> 'active'`,
    externalId: eq(accounts.externalId, textInput("externalId")),
    search: hasText,
  },
  folded: ["search"],
  searched: "name",
});
/** A page of the organization's accounts, all given filters holding, in an order that ends in id. */
export async function listAccounts(
  tenant: Tenant,
  asked: PageRequest & AccountListing,
): Promise<Page<Omit<AccountRow, "contactActivityAt">>> {
  const { search, externalId, status, sortBy = "name" } = asked;
  if (search && externalId === undefined && sortBy === "name") {
    const page = await searchByName(tenant, { ...asked, search });
    if (page) return page;
  }
  const unlessActive = status === undefined || status === "active" ? undefined : status;
  return list(tenant, { ...asked, unlessActive }, () =>
    search || externalId !== undefined ? undefined : countAccounts(tenant, status),
  );
}
