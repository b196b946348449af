import type { components } from "../../../../../clients/typescript/src/schema.ts";
import {
  bandScoreOf,
  bandScores,
  type FactorKey,
  factorKeys,
  factorRules,
  meanTenthsOf,
} from "../../../../shared/health.ts";

export type AccountHealth = components["schemas"]["AccountHealth"];
export type FactorReply = components["schemas"]["HealthFactor"];
export type KnownScores = Partial<Record<FactorKey, number | undefined>>;

export function scoresOf(factors: readonly FactorReply[]): KnownScores {
  return Object.fromEntries(factors.map(({ key, score }) => [key, score]));
}

/** The weighted mean; null when the known factors have less than 0.3 of the weight. */
export function totalOf(scores: KnownScores): number | null {
  const known = factorKeys.flatMap((key) => {
    const score = scores[key];
    return score === undefined ? [] : [{ score, weight: factorRules[key].weight }];
  });
  const tenths = meanTenthsOf(known);
  return tenths === undefined ? null : tenths / 10;
}

/** The score of a number of days: the bands of `contactActivity`, `usageRecency` and `requestResolution`. */
export function scoreOfDays(key: FactorKey, days: number): number {
  return bandScoreOf(key, (limit) => days < limit);
}

/** The values that give a factor a score: from `limit` to the limit of the next higher score. Undefined: no such score. */
export function rangeOf(key: FactorKey, score: number) {
  const band = bandScores.indexOf(score);
  if (band < 0) return undefined;
  const { limits } = factorRules[key];
  return { limit: limits[band], next: band === 0 ? undefined : limits[band - 1] };
}
