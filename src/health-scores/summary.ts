import { count, min } from "drizzle-orm";
import { scaledSum } from "../../db/expressions.ts";
import { accounts, MRR_SCALE, UNSCORED_RANK } from "../../db/schema.ts";
import { select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import type { HealthTier } from "../shared/fields/tiers.ts";

/** The bands of scores from 0 to 100; the last one has 100, too. */
const bandCount = 10;
const bandWidth = 10;

// An index of ranks covers the query and has its groups in order: no row is read, and none is sorted.
const byRank = select("scores.byRank", {
  fields: {
    rank: accounts.rank,
    tier: min(accounts.tier),
    accounts: count(),
    scaledMrr: scaledSum(accounts.mrr, MRR_SCALE),
  },
  from: accounts,
  groupBy: [accounts.rank],
});

/** A tier with accounts. Accounts without a score have the tier null. */
type TierRow = { tier: HealthTier | null; accounts: number; mrr: number };
/** `distribution`: the number of accounts with scores of each band, from 0 to 9.9, … and from 90 to 100. */
export type HealthTotals = { tiers: TierRow[]; distribution: number[] };

/** The accounts and the revenue by tier, without empty tiers. The sum of very large numbers is Infinity. */
export async function sumByTier(snapshot: TenantSnapshot): Promise<HealthTotals> {
  const distribution = new Array<number>(bandCount).fill(0);
  const tiers = new Map<HealthTier | null, { accounts: number; scaledMrr: number }>();
  for (const { rank, tier, accounts, scaledMrr } of await snapshot.all(byRank, {})) {
    const sum = tiers.get(tier) ?? { accounts: 0, scaledMrr: 0 };
    tiers.set(tier, { accounts: sum.accounts + accounts, scaledMrr: sum.scaledMrr + scaledMrr });
    const band = Math.min(bandCount - 1, Math.floor(rank / bandWidth));
    if (rank !== UNSCORED_RANK) distribution[band] = (distribution[band] ?? 0) + accounts;
  }
  const rows = [...tiers].map(([tier, { accounts, scaledMrr }]) => ({
    ...{ tier, accounts, mrr: scaledMrr * MRR_SCALE },
  }));
  return { tiers: rows, distribution };
}
