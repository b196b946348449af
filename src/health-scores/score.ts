import type { AccountStatus } from "../../db/schema.ts";
import { dayOf, millisecondsOfDay } from "../core/timestamps.ts";
import type { HealthTier } from "../shared/fields/tiers.ts";
import {
  bandScoreOf,
  type FactorKey,
  factorRules,
  meanTenthsOf,
  pointsOf,
  tierOf,
} from "../shared/health.ts";

/**
 * The stored facts about an account with dates up to `asOf`. Timestamps are milliseconds since 1970 UTC, days are UTC
 * days since 1970, and a window of n days is `(asOf - n days, asOf]`.
 */
export type HealthFacts = {
  status: AccountStatus;
  /** Set through the API. Has priority over every platform. */
  contactActivityAt: number | null;
  /** Timestamps of platforms; only the latest is used. */
  lastSeen: readonly { source: string; lastSeenAt: number }[];
  /** The timestamp of the newest usage event. */
  lastEventAt: number | null;
  /** The events of the `trendDays` days before the day of `asOf`, of as many days before these, and of the day itself. */
  usage: { recent: number; before: number; today: number };
  /**
   * `hasAny`: whether there is one. `resolved`: the number that became Done within 90 days; `resolvedTime`: the sum of
   * their milliseconds. `oldestResolvedAt`: when the first one became Done or Declined within 90 days.
   */
  requests: {
    hasAny: boolean;
    openSeverity: number;
    resolved: number;
    resolvedTime: number;
    oldestResolvedAt: number | null;
  };
  /** `hasAny`: whether one has begun. `recent`: the number begun within 180 days. `nextAt`: the start of the next. */
  meetings: { hasAny: boolean; recent: number; oldestRecentAt: number | null; nextAt: number | null };
};

/** One factor: its value, the score of the value, its weight, and its part of the total score. */
export type Factor = {
  key: FactorKey;
  value: number;
  score: number;
  weight: number;
  contribution: number | null;
};

/** Score, tier and contributions are all null, or the contributions add up exactly to the score. */
export type Health = {
  score: number | null;
  tier: HealthTier | null;
  coverage: number;
  contactActivity: { at: number | null; source: string | null };
  factors: Factor[];
};

/** The length in days of each of the two windows that a trend compares. The later one ends before the day of `asOf`. */
export const trendDays = 14;
/** Later than any timestamp. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * The health of an account at `asOf`. Without a score when the account is churned or inactive, or when its known
 * factors have less than 0.3 of the weight.
 */
export function computeHealth(facts: HealthFacts, asOf: number): Health {
  const contactActivity = contactActivityOf(facts);
  const factors = factorsOf(facts, contactActivity.at, asOf);
  const weight = sum(factors.map((factor) => factor.weight));
  const common = { coverage: weight / 100, contactActivity };
  const isLost = facts.status === "churned" || facts.status === "inactive";
  const tenths = isLost ? undefined : meanTenthsOf(factors);
  if (tenths === undefined) return { score: null, tier: null, ...common, factors };
  return { score: tenths / 10, tier: tierOf(tenths / 10), ...common, factors: apportion(tenths, factors) };
}

/**
 * The time after `asOf` from which the score, tier or coverage differs if nothing new is stored, or NEVER. May be too
 * early, but is never too late.
 */
export function findNextChange(facts: HealthFacts, asOf: number): number {
  const { lastEventAt, usage, requests, meetings } = facts;
  const timestamps = [
    ...daysAfter(contactActivityOf(facts).at, factorRules.contactActivity.limits),
    ...daysAfter(lastEventAt, factorRules.usageRecency.limits),
    // Each midnight moves the windows of the trend.
    sum(Object.values(usage)) > 0 ? (dayOf(asOf) + 1) * millisecondsOfDay : NEVER,
    meetings.nextAt ?? NEVER,
    ...daysAfter(meetings.oldestRecentAt, [180]),
    ...daysAfter(requests.oldestResolvedAt, [90]),
  ];
  return Math.min(NEVER, ...timestamps.filter((timestamp) => timestamp > asOf));
}

/** When a contact was last active, by the source with the highest priority. */
export function contactActivityOf({
  contactActivityAt,
  lastSeen,
  lastEventAt,
}: Pick<HealthFacts, "contactActivityAt" | "lastSeen" | "lastEventAt">): Health["contactActivity"] {
  if (contactActivityAt !== null) return { at: contactActivityAt, source: "api" };
  const [latest] = lastSeen.toSorted((a, b) => b.lastSeenAt - a.lastSeenAt || (a.source < b.source ? -1 : 1));
  if (latest) return { at: latest.lastSeenAt, source: latest.source };
  return { at: lastEventAt, source: lastEventAt === null ? null : "event" };
}

function factorsOf(facts: HealthFacts, contactAt: number | null, asOf: number): Factor[] {
  const { recent, hasAny } = facts.meetings;
  const { openSeverity, resolved, resolvedTime } = facts.requests;
  return [
    contactAt === null ? [] : daysFactor("contactActivity", asOf - contactAt),
    facts.lastEventAt === null ? [] : daysFactor("usageRecency", asOf - facts.lastEventAt),
    trendFactor(facts) ?? [],
    facts.requests.hasAny ? factorOf("openRequests", openSeverity, (max) => openSeverity <= max) : [],
    hasAny ? factorOf("meetings", recent, (min) => recent >= min) : [],
    resolved === 0 ? [] : daysFactor("requestResolution", resolvedTime, resolved),
  ].flat();
}

/** The factor of the mean of `count` durations. Compares their sum, because the mean would not be exact. */
function daysFactor(key: FactorKey, total: number, count = 1): Factor {
  const value = Math.floor(Math.max(0, total) / (count * (millisecondsOfDay / 100))) / 100;
  return factorOf(key, value, (days) => total < days * millisecondsOfDay * count);
}

/** Without events in either window, the score is the lowest if the last event is before both and today has none. */
function trendFactor({ usage: { recent, before, today }, lastEventAt }: HealthFacts): Factor | undefined {
  if (before === 0 && (recent + today > 0 || lastEventAt === null)) return undefined;
  const value = before === 0 ? 0 : Math.floor((recent * 100) / before) / 100;
  return factorOf("usageTrend", value, (tenths) => before > 0 && recent * 10 >= before * tenths);
}

function factorOf(key: FactorKey, value: number, isMet: (limit: number) => boolean): Factor {
  const { weight } = factorRules[key];
  return { key, value, score: bandScoreOf(key, isMet), weight, contribution: null };
}

/** Largest remainder method: shares are rounded down to tenths; those with the largest remainders get one more. */
function apportion(tenths: number, factors: Factor[]): Factor[] {
  const points = pointsOf(factors);
  const shares = factors.map((factor) => {
    const product = tenths * pointsOf([factor]);
    return { factor, whole: Math.floor(product / points), remainder: product % points };
  });
  const missing = tenths - sum(shares.map(({ whole }) => whole));
  const roundedUp = new Set(shares.toSorted((a, b) => b.remainder - a.remainder).slice(0, missing));
  return shares.map((share) => ({
    ...share.factor,
    contribution: (share.whole + (roundedUp.has(share) ? 1 : 0)) / 10,
  }));
}

function daysAfter(at: number | null, days: readonly number[]): number[] {
  return at === null ? [] : days.map((count) => at + count * millisecondsOfDay);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
