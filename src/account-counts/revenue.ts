import { count } from "drizzle-orm";
import { scaledSum } from "../../db/expressions.ts";
import { accounts, MRR_SCALE } from "../../db/schema.ts";

/** The sum of `mrr` of some accounts, divided by a power of two, so that it does not overflow. */
export const scaledMrr = scaledSum(accounts.mrr, MRR_SCALE);
export const counted = { accounts: count(), scaledMrr };
type Revenue = { accounts: number; mrr: number };

/** Of a row with `counted`; without one of no accounts. The sum is rounded to the cent, and at most the largest finite number. */
export function revenueOf(row?: { accounts: number; scaledMrr: number }): Revenue {
  return { accounts: row?.accounts ?? 0, mrr: roundToCents((row?.scaledMrr ?? 0) * MRR_SCALE) };
}

function roundToCents(sum: number): number {
  const rounded = Math.round(sum * 100) / 100;
  // Larger numbers have no cents, and their product may be Infinity.
  const exact = Math.abs(sum) < 2 ** 46 ? rounded : sum;
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, exact));
}
