import { eq, or } from "drizzle-orm";
import { accountCounts, accounts } from "../../db/schema.ts";
import { contains, textInput } from "../../db/statements.ts";
import { listing, type Page } from "../listing.ts";
import type { PageRequest } from "../paging.ts";
import { select, type Tenant } from "../tenant.ts";
import type { AccountListing } from "./input.ts";
import type { AccountRow } from "./model.ts";
import { listed } from "./store.ts";

const list = listing({
  from: accounts,
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
const counts = select({
  fields: { status: accountCounts.status, count: accountCounts.count },
  from: accountCounts,
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

/** How many accounts the organization has, or has in one status. The numbers are stored, and not counted. */
export async function countAccounts(tenant: Tenant, status?: AccountRow["status"]): Promise<number> {
  const rows = await tenant.rows.all(counts, {});
  return rows.reduce(
    (sum, row) => (status === undefined || row.status === status ? sum + row.count : sum),
    0,
  );
}
