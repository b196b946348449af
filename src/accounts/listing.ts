import { eq, or } from "drizzle-orm";
import { accounts } from "../../db/schema.ts";
import { contains, textInput } from "../../db/statements.ts";
import { countAccounts } from "../account-counts.ts";
import { listing, type Page } from "../listing.ts";
import type { PageRequest } from "../paging.ts";
import type { Tenant } from "../tenant.ts";
import type { AccountListing } from "./input.ts";
import type { AccountRow } from "./model.ts";
import { listed } from "./store.ts";

const list = listing({
  from: accounts,
  key: accounts.id,
  fields: listed,
  sortBy: {
    name: accounts.foldedName,
    mrr: accounts.mrr,
    createdAt: accounts.createdAt,
    updatedAt: accounts.updatedAt,
  },
  order: ["name", "asc"],
  filters: {
    status: eq(accounts.status, textInput("status")),
    externalId: eq(accounts.externalId, textInput("externalId")),
    search: or(
      contains(accounts.foldedName, textInput("search")),
      contains(accounts.foldedExternalId, textInput("search")),
    ),
  },
  folded: ["search"],
  searched: "name",
});
/** A page of the organization's accounts, all given filters holding, in an order that ends in id. */
export function listAccounts(
  tenant: Tenant,
  asked: PageRequest & AccountListing,
): Promise<Page<Omit<AccountRow, "contactActivityAt">>> {
  return list(tenant, asked, () =>
    asked.search || asked.externalId !== undefined ? undefined : countAccounts(tenant, asked.status),
  );
}
