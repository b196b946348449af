import { min } from "drizzle-orm";
import { pick } from "../../db/expressions.ts";
import { type AccountStatus, accounts, UNSCORED_RANK } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import { accountTotal } from "../account-counts/counts.ts";
import { counted } from "../account-counts/revenue.ts";
import { defineList } from "../core/lists/list.ts";
import { type AccountReference, findAccount } from "../core/resource/account-reference.ts";
import { notFound } from "../core/resource/resource.ts";
import { select } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { type HealthTier, healthTiers } from "../shared/fields/tiers.ts";
import { hasManyFacts, readFacts } from "./facts.ts";
import { computeHealth, type Health } from "./score.ts";
import { readSettings } from "./settings.ts";

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
  const [rules, found] = await Promise.all([readSettings(snapshot), readFacts(snapshot, [accountId], asOf)]);
  const { facts, createdAt } = found.get(accountId) ?? notFound("account", accountId);
  // Before it existed, the meetings and requests of the other accounts say nothing about it.
  const none = asOf < createdAt && { hasMeetings: false, hasRequests: false };
  return computeHealth(facts, asOf, { ...rules, ...none });
}

const fields = {
  accountId: accounts.id,
  ...pick(accounts, "name", "externalId", "mrr", "score", "tier", "coverage", "scoredAt"),
};
export type HealthRow = Row<typeof fields>;

export const healthList = defineList({
  name: "scores.list",
  from: accounts,
  key: accounts.id,
  fields,
  sortBy: { score: accounts.rank, mrr: accounts.mrr, name: accounts.foldedName, scoredAt: accounts.scoredAt },
  defaultOrder: ["score", "asc"],
  filters: {
    tier: { kind: "choice", column: accounts.tier, values: healthTiers, isNullable: true },
    updatedAt: { kind: "timestamp", column: accounts.updatedAt },
    scoredAt: { kind: "timestamp", column: accounts.scoredAt, isNullable: true },
  },
  storedTotal: accountTotal,
});

/** The bands of scores from 0 to 100; the last one has 100, too. */
const bandCount = 10;

// An index of ranks covers the query and has its groups in order: no row is read, and none is sorted.
const byRank = select("scores.byRank", {
  fields: {
    rank: accounts.rank,
    tier: min(accounts.tier),
    ...counted,
  },
  from: accounts,
  groupBy: [accounts.rank],
});
// The index of `mrr` covers the query.
const byStatusOf = select("scores.byStatus", {
  fields: { status: accounts.status, ...counted },
  from: accounts,
  groupBy: [accounts.status],
});

type Counted = { accounts: number; scaledMrr: number };
/**
 * The accounts and their revenue, by tier, null without a score, and by status, without the empty ones. `distribution`: the
 * number of accounts with scores of each band, from 0 to 9.9, … and from 90 to 100.
 */
export type HealthTotals = {
  byTier: Map<HealthTier | null, Counted>;
  byStatus: Map<AccountStatus, Counted>;
  distribution: number[];
};

/** The sums of very large numbers are Infinity. */
export async function sumHealth(snapshot: TenantSnapshot): Promise<HealthTotals> {
  const distribution = new Array<number>(bandCount).fill(0);
  const byTier: HealthTotals["byTier"] = new Map();
  for (const { rank, tier, accounts, scaledMrr } of await snapshot.all(byRank, {})) {
    const sum = byTier.get(tier) ?? { accounts: 0, scaledMrr: 0 };
    byTier.set(tier, { accounts: sum.accounts + accounts, scaledMrr: sum.scaledMrr + scaledMrr });
    const band = Math.min(bandCount - 1, Math.floor((rank * bandCount) / 100));
    if (rank !== UNSCORED_RANK) distribution[band] = (distribution[band] ?? 0) + accounts;
  }
  const statuses = await snapshot.all(byStatusOf, {});
  return { byTier, byStatus: new Map(statuses.map((row) => [row.status, row])), distribution };
}
