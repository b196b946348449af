import { pick } from "../../db/expressions.ts";
import { accounts } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { accountTotal } from "../account-counts/counts.ts";
import { defineList } from "../core/lists/list.ts";
import { type AccountReference, findAccount } from "../core/resource/account-reference.ts";
import { notFound } from "../core/resource/resource.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { healthTiers } from "../shared/fields/tiers.ts";
import { hasManyFacts, readFacts } from "./facts.ts";
import { computeHealth, type Health } from "./score.ts";

/** Where the health of an account is read: one that depends on many rows in a reader. */
export async function placeOfHealth(
  tenant: Tenant,
  account: AccountReference,
  asOf: number,
): Promise<"serving" | "reader"> {
  const hasMany = await tenant.read(async (snapshot) => {
    const accountId = await findAccount(snapshot, account);
    return accountId !== undefined && hasManyFacts(snapshot, accountId, asOf);
  });
  return hasMany ? "reader" : "serving";
}

/** The account's health at a timestamp (milliseconds since 1970 UTC). Throws `not_found`. */
export async function getHealth(snapshot: TenantSnapshot, accountId: number, asOf: number): Promise<Health> {
  const found =
    (await readFacts(snapshot, [accountId], asOf)).get(accountId) ?? notFound("account", accountId);
  return computeHealth(found.facts, asOf);
}

const fields = {
  accountId: accounts.id,
  ...pick(accounts, "name", "externalId", "mrr", "score", "tier", "coverage"),
};
export type HealthRow = Row<typeof fields>;

export const healthList = defineList({
  name: "scores.list",
  from: accounts,
  key: accounts.id,
  fields,
  sortBy: { score: accounts.rank, mrr: accounts.mrr, name: accounts.foldedName },
  defaultOrder: ["score", "asc"],
  filters: {
    tier: { kind: "choice", column: accounts.tier, values: healthTiers, isNullable: true },
    updatedAt: { kind: "timestamp", column: accounts.updatedAt },
  },
  storedTotal: accountTotal,
});
