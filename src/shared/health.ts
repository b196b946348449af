import type { HealthTier } from "./fields/tiers.ts";

/** The factors of a score, in the order of the reply. */
export const factorKeys = [
  "contactActivity",
  "usageRecency",
  "usageTrend",
  "openRequests",
  "meetings",
  "requestResolution",
] as const;
export type FactorKey = (typeof factorKeys)[number];

/** The weights add up to 100. The four limits give the scores 100, 80, 60 and 40. */
export const factorRules: Record<FactorKey, { weight: number; limits: readonly number[] }> = {
  contactActivity: { weight: 30, limits: [3, 7, 14, 30] },
  usageRecency: { weight: 20, limits: [1, 3, 7, 14] },
  usageTrend: { weight: 15, limits: [11, 9, 7, 4] }, // In tenths, because 1.1 is not exact.
  openRequests: { weight: 15, limits: [0, 3, 8, 15] },
  meetings: { weight: 10, limits: [6, 3, 2, 1] },
  requestResolution: { weight: 10, limits: [3, 7, 14, 30] },
};
/** The scores of the limits, and the score beyond the last one. */
export const bandScores: readonly number[] = [100, 80, 60, 40, 20];
const minWeight = 30;

type WeighedScore = { score: number; weight: number };

/** The score of a factor: `isMet` is called with its limits. */
export function bandScoreOf(key: FactorKey, isMet: (limit: number) => boolean): number {
  return bandScores[factorRules[key].limits.findIndex(isMet)] ?? 20;
}

/** The weighted mean, half up, in tenths; undefined if the factors have less than 0.3 of the weight. */
export function meanTenthsOf(factors: readonly WeighedScore[]): number | undefined {
  const weight = factors.reduce((sum, factor) => sum + factor.weight, 0);
  if (weight < minWeight) return undefined;
  // 10 * points / weight + 1/2, in integers.
  return Math.floor((20 * pointsOf(factors) + weight) / (2 * weight));
}

export function pointsOf(factors: readonly WeighedScore[]): number {
  return factors.reduce((sum, { weight, score }) => sum + weight * score, 0);
}

export function tierOf(score: number): HealthTier {
  if (score >= 80) return "healthy";
  if (score >= 60) return "attention";
  return score >= 40 ? "at_risk" : "critical";
}

const tierNames: Readonly<Record<HealthTier, string>> = {
  healthy: "Healthy",
  attention: "Attention",
  at_risk: "At risk",
  critical: "Critical",
};

/** The tier on the screen; null: without a score. */
export function nameOfTier(tier: HealthTier | null): string {
  return tier === null ? "Unscored" : tierNames[tier];
}
