import { eq } from "drizzle-orm";
import { inputs, integerInput, sumOf } from "../../db/expressions.ts";
import { accounts, scoreCounts } from "../../db/schema.ts";
import type { Combination } from "../core/tenant/combined-writes.ts";
import { insert, select } from "../core/tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/tenant.ts";

/** The bands of scores from 0 to 100; the last one has 100, too. */
const bandCount = 10;
const bandWidth = 10;

const counts = select("scoreCounts.all", {
  fields: { band: scoreCounts.band, count: scoreCounts.count },
  from: scoreCounts,
});
const addToCount = insert("scoreCounts.add", {
  into: scoreCounts,
  values: inputs(scoreCounts, "band", "count"),
  onConflict: {
    target: [scoreCounts.organizationId, scoreCounts.band],
    set: { count: sumOf(scoreCounts.count) },
  },
});
const scoreOfAccount = select("scoreCounts.score", {
  fields: { score: accounts.score },
  from: accounts,
  where: eq(accounts.id, integerInput("id")),
});

type BandChange = { band: number; count: number };
const countChanges: Combination<TenantTransaction, BandChange> = {
  keyOf: ({ band }) => String(band),
  merge: (sum, { count }) => ({ ...sum, count: sum.count + count }),
  write: async (tx, change) => {
    if (change.count !== 0) await tx.run(addToCount, change);
  },
};

/** Moves an account from the band of one score to that of another. Null: without a score. */
export function moveScoreCount(tx: TenantTransaction, from: number | null, to: number | null): void {
  if (from !== null) tx.combined.add(countChanges, { band: bandOf(from), count: -1 });
  if (to !== null) tx.combined.add(countChanges, { band: bandOf(to), count: 1 });
}

/** Subtracts a deleted account, whose row still exists. */
export async function subtractScore(tx: TenantTransaction, id: number): Promise<void> {
  moveScoreCount(tx, (await tx.first(scoreOfAccount, { id }))?.score ?? null, null);
}

/** The stored number of accounts with scores of each band: 0 to 9.9, 10 to 19.9, … and 90 to 100. */
export async function readDistribution(snapshot: TenantSnapshot): Promise<number[]> {
  const rows = await snapshot.all(counts, {});
  const countOf = new Map(rows.map(({ band, count }) => [band, count]));
  return Array.from({ length: bandCount }, (_, band) => countOf.get(band) ?? 0);
}

function bandOf(score: number): number {
  return Math.min(bandCount - 1, Math.floor(score / bandWidth));
}
