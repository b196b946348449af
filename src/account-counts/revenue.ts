import { count, gt, sql } from "drizzle-orm";
import { allOf, input, integerSum, scaledSum } from "../../db/expressions.ts";
import {
  accountCounts,
  accounts,
  type HealthTier,
  healthTiers,
  MRR_SCALE,
  UNSCORED,
} from "../../db/schema.ts";
import { type DueCondition, firstValue } from "../core/due-jobs.ts";
import { select, update } from "../core/tenant/statements.ts";
import type { Tenant, TenantSnapshot } from "../core/tenant/tenant.ts";
import { grownError, isCountOf, tierOrUnscored } from "./counts.ts";

/** A sum is recomputed if this many times its rounding error is more than the sum: the relative error exceeds 1e-10. */
const accuracyFactor = 1e10;

const { status, tier, scaledMrr, mrrError } = accountCounts;
const storedSums = select("accountCounts.sums", {
  fields: { status, tier, scaledMrr, mrrError },
  from: accountCounts,
});
const hasAccounts = gt(accountCounts.count, sql`0`);
const storedTiers = select("accountCounts.tiers", {
  fields: {
    tier,
    accounts: integerSum(accountCounts.count),
    scaledMrr: sql<number>`sum(${scaledMrr})`,
    mrrError: sql<number>`sum(${mrrError})`,
  },
  from: accountCounts,
  where: hasAccounts,
  groupBy: [tier],
});

const countedFields = {
  tier: tierOrUnscored(accounts.tier),
  scaledMrr: scaledSum(accounts.mrr, MRR_SCALE),
};
const everyAccount = {
  from: accounts,
  // `id > 0` makes SQLite read the table in row order; otherwise it may choose the index of external ids.
  where: gt(accounts.id, sql`0`),
  scanned: select("accountCounts.scanned", { fields: { id: accounts.id }, from: accounts, paged: true })
    .statement,
};
const countedSums = select("accountCounts.counted", {
  fields: { ...countedFields, status: accounts.status },
  ...everyAccount,
  groupBy: [accounts.status, accounts.tier],
});
const countedTiers = select("accountCounts.countedTiers", {
  fields: { ...countedFields, accounts: count(), mrrError: sql<number>`0` },
  ...everyAccount,
  groupBy: [accounts.tier],
});
const correctSum = update("accountCounts.correct", {
  table: accountCounts,
  set: {
    scaledMrr: sql`${scaledMrr} + ${input("correction")}`,
    mrrError: grownError(
      sql`${input("correction")}`,
      sql`case when ${mrrError} > ${input("mrrError")} then ${mrrError} - ${input("mrrError")} else 0 end`,
    ),
  },
  // A change makes the error larger, a correction smaller: of two corrections at the same time, one has an effect.
  where: allOf(isCountOf, sql`${mrrError} >= ${input("mrrError")}`),
});

/** A tier with accounts; null is that of accounts without a score. */
export type TierRow = { tier: HealthTier | null; accounts: number; mrr: number };

/**
 * The accounts and the revenue of each tier, without empty tiers, from the stored sums; from the accounts while a
 * rounding error may be too large. The sum of very large numbers is Infinity.
 */
export async function sumByTier(snapshot: TenantSnapshot): Promise<TierRow[]> {
  const stored = await snapshot.all(storedTiers, {});
  const tiers = stored.some(isInaccurate) ? await snapshot.all(countedTiers, {}) : stored;
  return tiers.map(({ tier, accounts, scaledMrr }) => ({
    tier: tier === UNSCORED ? null : tier,
    accounts,
    mrr: scaledMrr * MRR_SCALE,
  }));
}

/** The same as `isInaccurate` for any of `storedTiers`, in one pass over at most 20 rows, without a sort. */
const isAnyInaccurate = sql.join(
  [...healthTiers, UNSCORED].map((name) => {
    const ofTier = sql`filter (where ${tier} = ${sql.raw(`'${name}'`)})`;
    // The product with a small factor could underflow, which PostgreSQL rejects.
    return sql`sum(${mrrError}) ${ofTier} * ${sql.raw(String(accuracyFactor))} > abs(sum(${scaledMrr}) ${ofTier})`;
  }),
  sql` or `,
);
export const revenueDue: DueCondition = {
  isDue: firstValue(isAnyInaccurate, { from: accountCounts, where: hasAccounts }),
};

/**
 * Returns a job that corrects the stored sums of revenue by their difference from the accounts in one snapshot, so that
 * changes after it are kept. Sums whose error stays too large, because large revenues cancel out, are corrected again after their next change.
 */
export function revenueCorrection(): (tenant: Tenant) => Promise<boolean> {
  /** The stored sums of each organization after its last correction. */
  const corrected = new Map<number, string>();
  const readTiers = (tenant: Tenant) => tenant.readOne((snapshot) => snapshot.all(storedTiers, {}));
  return async (tenant) => {
    const tiers = await readTiers(tenant);
    if (!tiers.some(isInaccurate) || corrected.get(tenant.organizationId) === JSON.stringify(tiers))
      return false;
    const corrections = await tenant.read(readCorrections);
    await tenant.write(async (tx) => {
      for (const correction of corrections) await tx.run(correctSum, correction);
    });
    corrected.set(tenant.organizationId, JSON.stringify(await readTiers(tenant)));
    return false;
  };
}

async function readCorrections(snapshot: TenantSnapshot) {
  const stored = await snapshot.all(storedSums, {});
  const counted = await snapshot.all(countedSums, {});
  return stored.map(({ status, tier, scaledMrr, mrrError }) => {
    const actual = counted.find((row) => row.status === status && row.tier === tier)?.scaledMrr ?? 0;
    return { status, tier, correction: actual - scaledMrr, mrrError };
  });
}

function isInaccurate({ scaledMrr, mrrError }: { scaledMrr: number; mrrError: number }): boolean {
  return mrrError * accuracyFactor > Math.abs(scaledMrr);
}
