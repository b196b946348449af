import { eq, or, sql } from "drizzle-orm";
import { contains, textInput } from "../../db/expressions.ts";
import { accounts, NO_ACTIVITY, UNSCORED_RANK } from "../../db/schema.ts";
import { countAccounts } from "../account-counts/counts.ts";
import { fold } from "../core/folding.ts";
import { externalIdFields, ordersAndFilters } from "../core/lists/fields.ts";
import { defineList } from "../core/lists/list.ts";
import { accountFields } from "../shared/fields/accounts.ts";
import { healthTiers } from "../shared/fields/tiers.ts";
import { listedFields } from "./resource.ts";

const { sortBy, filterFields } = ordersAndFilters(accountFields, accounts, {
  contactActivityAt: { kind: "timestamp", column: accounts.activityAt, none: NO_ACTIVITY },
});

export const accountList = defineList({
  name: "accounts.list",
  from: accounts,
  key: accounts.id,
  fields: { ...listedFields, contactActivityAt: accounts.contactActivityAt },
  sortBy: { ...sortBy, healthScore: accounts.rank },
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
    ...filterFields,
    healthScore: { kind: "number", column: accounts.rank, none: UNSCORED_RANK },
    tier: { kind: "choice", column: accounts.tier, values: healthTiers, isNullable: true },
    ...externalIdFields(accounts.externalId),
  },
  foldedInputs: { search: fold },
  inOrder: ["status"],
  partial: { filter: "status", unlessValue: "active", condition: sql`${accounts.status} <> 'active'` },
  searchOrder: "name",
  attributes: "account",
  storedTotal: { filters: ["status", "tier"], read: countAccounts },
});

/** Whether the order or a filter reads what the score job stores. */
export function readsScores(query: object & { sortBy?: string }): boolean {
  const names = [query.sortBy ?? "", ...Object.keys(query)];
  return names.some((name) => /^(contactActivityAt|healthScore|tier)\b/.test(name));
}
