import type { components } from "../../../../../clients/typescript/src/schema.ts";
import {
  bandScoreOf,
  bandScores,
  type FactorKey,
  factorKeys,
  type HealthSettings,
  meanTenthsOf,
} from "../../../../shared/health.ts";
import { formatNumber, formatPercent } from "../../format.ts";

export type AccountHealth = components["schemas"]["AccountHealth"];
export type FactorReply = components["schemas"]["HealthFactor"];
export type KnownScores = Partial<Record<FactorKey, number | undefined>>;

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

export const factorNames: Readonly<Record<FactorKey, string>> = {
  contactActivity: "Contact activity",
  usageRecency: "Usage recency",
  usageTrend: "Usage trend",
  openRequests: "Open requests",
  meetings: "Meetings",
  requestResolution: "Request resolution",
};

const unknownTexts: Readonly<Record<FactorKey, string>> = {
  contactActivity: "Unknown: no source has any activity",
  usageRecency: "Unknown: there was never an event",
  usageTrend: "Unknown: no events from 28 to 15 days ago",
  openRequests: "Unknown: your organization never had a request",
  meetings: "Unknown: your organization never had a meeting",
  requestResolution: "Unknown: none is open, and none was resolved within 90 days",
};
/** Why a factor is not part of the score. */
export function uncountedText(key: FactorKey, { factors }: HealthSettings): string {
  return factors[key].enabled ? unknownTexts[key] : "Not counted: switched off in the health settings";
}

/** Why a factor is part of the score, and what gives it the score 100. */
export function countedText(key: FactorKey, { factors }: HealthSettings): string {
  const [best = 0] = factors[key].thresholds;
  const isDays = `less than ${daysText(best)} ${best === 1 ? "scores" : "score"} 100`;
  if (key === "contactActivity") return `Counted while a source has activity; ${isDays}`;
  if (key === "usageRecency") return `Counted since the first event; ${isDays}`;
  if (key === "usageTrend")
    return `Counted with events from 28 to 15 days ago, or without any since; ${formatPercent(best)} or more score 100`;
  if (key === "openRequests")
    return `Counted since your organization's first request; ${best === 0 ? "none open scores" : `a severity of at most ${formatNumber(best)} scores`} 100`;
  if (key === "meetings")
    return `Counted since your organization's first meeting; ${formatNumber(best)} or more score 100`;
  return `Counted while requests are open, or were resolved within 90 days; ${isDays}`;
}

export function daysText(days: number): string {
  return days === 1 ? "1 day" : `${formatNumber(days)} days`;
}

/** The value of a factor in words. */
export function textOfFactor({ key, value }: Pick<FactorReply, "key" | "value">): string {
  if (key === "contactActivity") return `${ageText(value)} since the last activity`;
  if (key === "usageRecency") return `${ageText(value)} since the last event`;
  if (key === "usageTrend") return `${formatPercent(value)} of the 14 days before`;
  if (key === "openRequests")
    return value === 0 ? "No open requests" : `Total severity ${formatNumber(value)}`;
  if (key === "meetings") return `${formatNumber(value)} within 180 days`;
  return `${ageText(value)} open on average`;
}

function ageText(days: number): string {
  return days < 1 ? "Less than a day" : daysText(days);
}

/** The source of the contact activity in words. */
export function textOfSource(source: string): string {
  if (source === "api") return "set for the account";
  return source === "event" ? "usage event" : source;
}
