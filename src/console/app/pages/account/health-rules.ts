import type { components } from "../../../../../clients/typescript/src/schema.ts";

export type AccountHealth = components["schemas"]["AccountHealth"];
export type FactorReply = components["schemas"]["HealthFactor"];
export type FactorName = FactorReply["key"];

/** The documented rules: the first limit gives the score 100, the others 80, 60 and 40; beyond the last: 20. */
export const factorRules: Record<FactorName, { weight: number; limits: readonly number[] }> = {
  contactActivity: { weight: 30, limits: [3, 7, 14, 30] },
  usageRecency: { weight: 20, limits: [1, 3, 7, 14] },
  usageTrend: { weight: 15, limits: [1.1, 0.9, 0.7, 0.4] },
  openRequests: { weight: 15, limits: [0, 3, 8, 15] },
  meetings: { weight: 10, limits: [6, 3, 2, 1] },
  requestResolution: { weight: 10, limits: [3, 7, 14, 30] },
};
// Safe: the keys of the record above.
export const factorKeys = Object.keys(factorRules) as FactorName[];
const bandScores = [100, 80, 60, 40, 20];
const minWeight = 30;

export type KnownScores = Partial<Record<FactorName, number | undefined>>;

export function scoresOf(factors: readonly FactorReply[]): KnownScores {
  return Object.fromEntries(factors.map(({ key, score }) => [key, score]));
}

/** The weighted mean, half up to a tenth; null when the known factors have less than 0.3 of the weight. */
export function totalOf(scores: KnownScores): number | null {
  const known = factorKeys.flatMap((key) => {
    const score = scores[key];
    return score === undefined ? [] : [{ score, weight: factorRules[key].weight }];
  });
  const weight = known.reduce((sum, factor) => sum + factor.weight, 0);
  if (weight < minWeight) return null;
  const points = known.reduce((sum, factor) => sum + factor.weight * factor.score, 0);
  return Math.floor((20 * points + weight) / (2 * weight)) / 10;
}

/** The score of a number of days: the bands of `contactActivity`, `usageRecency` and `requestResolution`. */
export function scoreOfDays(key: FactorName, days: number): number {
  const band = factorRules[key].limits.findIndex((limit) => days < limit);
  return bandScores[band] ?? 20;
}

/** The values that give a factor a score: from `limit` to the limit of the next higher score. Undefined: no such score. */
export function rangeOf(key: FactorName, score: number) {
  const band = bandScores.indexOf(score);
  if (band < 0) return undefined;
  const { limits } = factorRules[key];
  return { limit: limits[band], next: band === 0 ? undefined : limits[band - 1] };
}
