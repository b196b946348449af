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

/** Whether a factor counts, its weight, and the limits of the scores 100, 80, 60 and 40. */
export type FactorSettings = { enabled: boolean; weight: number; thresholds: number[] };
/** How an organization computes scores. `tiers`: the lowest score of each tier above the last one. */
export type HealthSettings = {
  factors: Record<FactorKey, FactorSettings>;
  tiers: Record<Exclude<HealthTier, "critical">, number>;
};

export const defaultHealthSettings: HealthSettings = {
  factors: {
    contactActivity: { enabled: true, weight: 30, thresholds: [3, 7, 14, 30] },
    usageRecency: { enabled: true, weight: 20, thresholds: [1, 3, 7, 14] },
    usageTrend: { enabled: true, weight: 15, thresholds: [1.1, 0.9, 0.7, 0.4] },
    openRequests: { enabled: true, weight: 15, thresholds: [0, 3, 8, 15] },
    meetings: { enabled: true, weight: 10, thresholds: [6, 3, 2, 1] },
    requestResolution: { enabled: true, weight: 10, thresholds: [3, 7, 14, 30] },
  },
  tiers: { healthy: 80, attention: 60, at_risk: 40 },
};
/** Whether a larger value of the factor has a higher score. */
export function isLargerBetter(key: FactorKey): boolean {
  return key === "usageTrend" || key === "meetings";
}

/** The scores of the thresholds, and the score beyond the last one. */
export const bandScores: readonly number[] = [100, 80, 60, 40, 20];

type WeighedScore = { score: number; weight: number };

/** The score of a factor: `isMet` is called with its thresholds. */
export function bandScoreOf(
  { thresholds }: Pick<FactorSettings, "thresholds">,
  isMet: (threshold: number) => boolean,
): number {
  return bandScores[thresholds.findIndex(isMet)] ?? 20;
}

export function totalWeightOf({ factors }: HealthSettings): number {
  return sumOfWeights(Object.values(factors).filter(({ enabled }) => enabled));
}

export function sumOfWeights(factors: readonly { weight: number }[]): number {
  return factors.reduce((sum, { weight }) => sum + weight, 0);
}

/** The weighted mean, half up, in tenths; undefined if the known factors have less than 0.3 of the weight. */
export function meanTenthsOf(known: readonly WeighedScore[], settings: HealthSettings): number | undefined {
  const weight = sumOfWeights(known);
  if (weight === 0 || weight * 10 < totalWeightOf(settings) * 3) return undefined;
  // 10 * points / weight + 1/2, in integers.
  return Math.floor((20 * pointsOf(known) + weight) / (2 * weight));
}

export function pointsOf(factors: readonly WeighedScore[]): number {
  return factors.reduce((sum, { weight, score }) => sum + weight * score, 0);
}

export function tierOf(score: number, { tiers }: Pick<HealthSettings, "tiers">): HealthTier {
  if (score >= tiers.healthy) return "healthy";
  if (score >= tiers.attention) return "attention";
  return score >= tiers.at_risk ? "at_risk" : "critical";
}
