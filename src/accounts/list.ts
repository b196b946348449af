import { sql } from "drizzle-orm";
import { accounts, NO_ACTIVITY, UNSCORED_RANK } from "../../db/schema.ts";
import { accountTotal } from "../account-counts/counts.ts";
import { scaledMrr } from "../account-counts/revenue.ts";
import { fold } from "../core/folding.ts";
import { externalIdFilters, ordersAndFilters } from "../core/lists/fields.ts";
import { defineList } from "../core/lists/list.ts";
import { accountFields } from "../shared/fields/accounts.ts";
import { healthTiers } from "../shared/fields/tiers.ts";
import { listedFields } from "./resource.ts";

const {
  sortBy,
  filters: { status, ...filters },
} = ordersAndFilters(accountFields, accounts, {
  status: {
    use: "inOrder",
    partial: { unlessValue: "active", condition: sql`${accounts.status} <> 'active'` },
  },
  contactActivityAt: { column: accounts.activityAt, none: NO_ACTIVITY },
});

export const accountList = defineList({
  name: "accounts.list",
  from: accounts,
  key: accounts.id,
  fields: { ...listedFields, contactActivityAt: accounts.contactActivityAt },
  sortBy: { ...sortBy, healthScore: accounts.rank },
  defaultOrder: ["name", "asc"],
  filters: {
    search: {
      kind: "search",
      columns: [
        [accounts.foldedName, fold],
        [accounts.foldedExternalId, fold],
      ],
    },
    id: { kind: "id", column: accounts.id },
    status,
    ...filters,
    healthScore: { kind: "number", column: accounts.rank, none: UNSCORED_RANK },
    tier: { kind: "choice", column: accounts.tier, values: healthTiers, isNullable: true },
    ...externalIdFilters(accounts.externalId),
  },
  attributes: "account",
  storedTotal: accountTotal,
  aggregates: { scaledMrr },
});

/** Whether the order or a filter reads what the score job stores. */
export function readsScores(query: object & { sortBy?: string }): boolean {
  const names = [query.sortBy ?? "", ...Object.keys(query)];
  return names.some((name) => /^(contactActivityAt|healthScore|tier)\b/.test(name));
}
