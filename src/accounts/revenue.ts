import { count, gt, sql } from "drizzle-orm";
import { input } from "../../db/expressions.ts";
import { accountCounts, accounts, type HealthTier, MRR_SCALE, UNSCORED } from "../../db/schema.ts";
import type { Row } from "../../db/statements.ts";
import type { Tenant, TenantSnapshot } from "../core/tenant.ts";
import { select, update } from "../core/tenant-statements.ts";
import { grownError, isCountOf, tierOrUnscored } from "./counts.ts";

/** Above this relative rounding error, a sum is recomputed. */
const maxRelativeError = 1e-10;

const { scaledMrr, mrrError } = accountCounts;
const storedFields = {
  status: accountCounts.status,
  tier: accountCounts.tier,
  count: accountCounts.count,
  scaledMrr,
  mrrError,
};
type StoredSum = Row<typeof storedFields>;
const storedSums = select("accountCounts.sums", { fields: storedFields, from: accountCounts });
const { statement: scanned } = select("accountCounts.scanned", {
  fields: { id: accounts.id },
  from: accounts,
  paged: true,
});
const countedSums = select("accountCounts.counted", {
  fields: {
    status: accounts.status,
    tier: tierOrUnscored(accounts.tier),
    count: count(),
    scaledMrr: sql<number>`sum(${accounts.mrr} / ${sql.raw(String(MRR_SCALE))}.0)`,
    mrrError: sql<number>`0`,
  },
  from: accounts,
  // `id > 0` makes SQLite read the table in row order; otherwise it may choose the index of external ids.
  where: gt(accounts.id, sql`0`),
  groupBy: [accounts.status, accounts.tier],
  scanned,
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
  where: isCountOf,
});

/** A tier with accounts; null is that of accounts without a score. */
export type TierRow = { tier: HealthTier | null; accounts: number; mrr: number };

/**
 * The accounts and the revenue of each tier, without empty tiers, from the stored sums; from the accounts while a
 * rounding error may be too large. The sum of very large numbers is Infinity.
 */
export async function sumByTier(snapshot: TenantSnapshot): Promise<TierRow[]> {
  const stored = tiersOf(await snapshot.all(storedSums, {}));
  const tiers = stored.some(isInaccurate) ? tiersOf(await snapshot.all(countedSums, {})) : stored;
  return tiers.map(({ tier, accounts, sum }) => ({
    tier: tier === UNSCORED ? null : tier,
    accounts,
    mrr: sum * MRR_SCALE,
  }));
}

/**
 * Job: corrects the stored sums of revenue by their difference from the accounts in one snapshot, so that changes after
 * it are kept. Two runs for one organization at the same time would correct it twice.
 */
export async function correctRevenue(tenant: Tenant): Promise<boolean> {
  const stored = await tenant.read((snapshot) => snapshot.all(storedSums, {}));
  if (!tiersOf(stored).some(isInaccurate)) return false;
  const corrections = await tenant.read(async (snapshot) => {
    const [stored, counted] = [await snapshot.all(storedSums, {}), await snapshot.all(countedSums, {})];
    return stored.map(({ status, tier, scaledMrr, mrrError }) => {
      const actual = counted.find((row) => row.status === status && row.tier === tier)?.scaledMrr ?? 0;
      return { status, tier, correction: actual - scaledMrr, mrrError };
    });
  });
  await tenant.write(async (tx) => {
    for (const correction of corrections) await tx.run(correctSum, correction);
  });
  return false;
}

type TierSum = { tier: StoredSum["tier"]; accounts: number; sum: number; error: number };

/** The sums of the tiers that have accounts. */
function tiersOf(rows: readonly StoredSum[]): TierSum[] {
  const tiers = Map.groupBy(
    rows.filter((row) => row.count > 0),
    (row) => row.tier,
  );
  const total = (rows: StoredSum[], member: "count" | "scaledMrr" | "mrrError") =>
    rows.reduce((sum, row) => sum + row[member], 0);
  return [...tiers].map(([tier, rows]) => ({
    tier,
    accounts: total(rows, "count"),
    sum: total(rows, "scaledMrr"),
    error: total(rows, "mrrError"),
  }));
}

function isInaccurate({ sum, error }: TierSum): boolean {
  return error > maxRelativeError * Math.abs(sum);
}
