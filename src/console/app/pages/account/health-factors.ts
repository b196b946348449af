import type { components } from "../../../../../clients/typescript/src/schema.ts";
import {
  bandScoreOf,
  bandScores,
  type FactorKey,
  factorKeys,
  factorRules,
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

export const factorNames: Readonly<Record<FactorKey, string>> = {
  contactActivity: "Contact activity",
  usageRecency: "Usage recency",
  usageTrend: "Usage trend",
  openRequests: "Open requests",
  meetings: "Meetings",
  requestResolution: "Request resolution",
};

/** Why a factor is not part of the score. */
export const unknownTexts: Readonly<Record<FactorKey, string>> = {
  contactActivity: "Unknown: no source has any activity",
  usageRecency: "Unknown: there was never an event",
  usageTrend: "Unknown: no events from 28 to 15 days ago",
  openRequests: "Unknown: there was never a request",
  meetings: "Unknown: there was never a meeting",
  requestResolution: "Unknown: none resolved within 90 days",
};

/** Why a factor is part of the score, and what gives it the score 100. */
export const countedTexts: Readonly<Record<FactorKey, string>> = {
  contactActivity: "Counted while a source has activity; less than 3 days score 100",
  usageRecency: "Counted since the first event; less than 1 day scores 100",
  usageTrend: "Counted with events from 28 to 15 days ago, or without any since; 110% or more score 100",
  openRequests: "Counted since the first request; none open scores 100",
  meetings: "Counted since the first meeting began; 6 or more score 100",
  requestResolution: "Counted while there are requests resolved within 90 days; less than 3 days score 100",
};

/** The value of a factor in words. */
export function textOfFactor({ key, value }: Pick<FactorReply, "key" | "value">): string {
  if (key === "contactActivity") return `${ageText(value)} since the last contact`;
  if (key === "usageRecency") return `${ageText(value)} since the last event`;
  if (key === "usageTrend") return `${formatPercent(value)} of the 14 days before`;
  if (key === "openRequests")
    return value === 0 ? "No open requests" : `Total severity ${formatNumber(value)}`;
  if (key === "meetings") return `${formatNumber(value)} within 180 days`;
  return `${ageText(value)} to resolution on average`;
}

function ageText(days: number): string {
  if (days < 1) return "Less than a day";
  return days === 1 ? "1 day" : `${formatNumber(days)} days`;
}

/** The source of the contact activity in words. */
export function textOfSource(source: string): string {
  if (source === "api") return "set for the account";
  return source === "event" ? "usage event" : source;
}
