import type { components } from "../../../../../clients/typescript/src/schema.ts";
import {
  bandScoreOf,
  bandScores,
  type FactorKey,
  factorKeys,
  type HealthSettings,
  meanTenthsOf,
} from "../../../../shared/health.ts";
import { account as accountTexts } from "../../messages/messages.ts";

const text = accountTexts.health;

export type AccountHealth = components["schemas"]["AccountHealth"];
export type FactorReply = components["schemas"]["HealthFactor"];
/** The health of an account, and how it is computed. */
export type LoadedHealth = { health: AccountHealth; settings: HealthSettings };
export type KnownScores = Partial<Record<FactorKey, number | undefined>>;

/** The names of the factors on the screen. */
export const factorNames: Readonly<Record<FactorKey, string>> = text.names;

export function scoresOf(factors: readonly FactorReply[]): KnownScores {
  return Object.fromEntries(factors.map(({ key, score }) => [key, score]));
}

/** The weighted mean; null when the known factors have less than 0.3 of the weight. */
export function totalOf(scores: KnownScores, settings: HealthSettings): number | null {
  const known = factorKeys.flatMap((key) => {
    const score = scores[key];
    const { enabled, weight } = settings.factors[key];
    return score === undefined || !enabled ? [] : [{ score, weight }];
  });
  const tenths = meanTenthsOf(known, settings);
  return tenths === undefined ? null : tenths / 10;
}

/** The score of a number of days: the bands of `contactActivity`, `usageRecency` and `requestResolution`. */
export function scoreOfDays(key: FactorKey, days: number, { factors }: HealthSettings): number {
  return bandScoreOf(factors[key], (threshold) => days < threshold);
}

/** The values that give a factor a score: from `limit` to the limit of the next higher score. Undefined: no such score. */
export function rangeOf(key: FactorKey, score: number, { factors }: HealthSettings) {
  const band = bandScores.indexOf(score);
  if (band < 0) return undefined;
  const { thresholds } = factors[key];
  return { limit: thresholds[band], next: band === 0 ? undefined : thresholds[band - 1] };
}

/** Why a factor is not part of the score. */
export function uncountedText(key: FactorKey, { factors }: HealthSettings): string {
  return factors[key].enabled ? text.unknown[key] : text.off(text.names[key]);
}

/** The value of a factor, such as "Last activity 20 days ago." */
export function textOfFactor({ key, value }: Pick<FactorReply, "key" | "value">): string {
  return text.values[key](value);
}

/** What gives a factor the score 100, such as "Full score within 3 days." */
export function fullScoreText(key: FactorKey, { factors }: HealthSettings): string {
  return text.full(text.limits[key](factors[key].thresholds[0] ?? 0));
}

/** All scores of a factor with their limits. */
export function ruleOf(key: FactorKey, { factors }: HealthSettings): string {
  const limits = factors[key].thresholds.map((limit, i) => `${bandScores[i]} ${text.limits[key](limit)}`);
  return [...limits, text.otherwise(String(bandScores.at(-1)))].join(", ");
}

/** The source of the contact activity in words. */
export function textOfSource(source: string): string {
  const sources: Readonly<Record<string, string>> = accountTexts.sources;
  return sources[source] ?? source;
}
