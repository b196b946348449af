import type { AccountStatus } from "../../db/schema.ts";
import { dayOf, millisecondsOfDay } from "../core/timestamps.ts";
import type { HealthTier } from "../shared/fields/tiers.ts";
import {
  bandScoreOf,
  type FactorKey,
  type HealthSettings,
  meanTenthsOf,
  pointsOf,
  sumOfWeights,
  tierOf,
  totalWeightOf,
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
   * `openTime`: the sum of the ages of the open ones in milliseconds. `resolved`: the number that became Done within 90
   * days; `resolvedTime`: the sum of their milliseconds. `oldestResolvedAt`: when the first one became Done or Declined
   * within 90 days. `nextAt`: the first time after `asOf` at which one is made or resolved.
   */
  requests: {
    open: number;
    openSeverity: number;
    openTime: number;
    resolved: number;
    resolvedTime: number;
    oldestResolvedAt: number | null;
    nextAt: number | null;
  };
  /** `lastAt`: the start of the last that has begun. `recent`: the number begun within 180 days. `nextAt`: the next start. */
  meetings: { lastAt: number | null; recent: number; oldestRecentAt: number | null; nextAt: number | null };
};

/** How an organization computes scores, and whether it has, or had, a meeting and a request. */
export type HealthRules = { settings: HealthSettings; hasMeetings: boolean; hasRequests: boolean };

/** One factor: its value, the score of the value, its weight, and its part of the total score. */
type Factor = {
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
export function computeHealth(facts: HealthFacts, asOf: number, rules: HealthRules): Health {
  const { settings } = rules;
  const contactActivity = contactActivityOf(facts);
  const factors = factorsOf(facts, contactActivity.at, asOf, rules);
  const coverage = Math.floor((100 * sumOfWeights(factors)) / totalWeightOf(settings)) / 100;
  const common = { coverage, contactActivity };
  const isLost = facts.status === "churned" || facts.status === "inactive";
  const tenths = isLost ? undefined : meanTenthsOf(factors, settings);
  if (tenths === undefined) return { score: null, tier: null, ...common, factors };
  return {
    score: tenths / 10,
    tier: tierOf(tenths / 10, settings),
    ...common,
    factors: apportion(tenths, factors),
  };
}

/**
 * The time after `asOf` from which the score, tier or coverage differs if nothing new is stored, or NEVER. May be too
 * early, but is never too late.
 */
export function findNextChange(facts: HealthFacts, asOf: number, { settings }: HealthRules): number {
  const { lastEventAt, usage, requests, meetings } = facts;
  const { contactActivity, usageRecency, requestResolution } = settings.factors;
  const timestamps = [
    ...timesAfter(contactActivityOf(facts).at, contactActivity.thresholds),
    ...timesAfter(lastEventAt, usageRecency.thresholds),
    // Each midnight moves the windows of the trend.
    sum(Object.values(usage)) > 0 ? (dayOf(asOf) + 1) * millisecondsOfDay : NEVER,
    meetings.nextAt ?? NEVER,
    ...timesAfter(meetings.oldestRecentAt, [180]),
    ...timesAfter(requests.oldestResolvedAt, [90]),
    requests.nextAt ?? NEVER,
    ...agingTimes(requests, asOf, requestResolution.thresholds),
  ];
  return Math.min(NEVER, ...timestamps.filter((timestamp) => timestamp > asOf));
}

/** When the mean age of requests reaches each threshold while the open ones grow older. */
function agingTimes(
  { open, openTime, resolved, resolvedTime }: HealthFacts["requests"],
  asOf: number,
  thresholds: readonly number[],
): number[] {
  if (open === 0) return [];
  const total = openTime + resolvedTime;
  return thresholds.map((days) =>
    Math.max(asOf, asOf + Math.ceil((millisecondsOf(days) * (open + resolved) - total) / open)),
  );
}

/** When a contact was last active: the API's value, else the latest of platforms, meetings and events. */
export function contactActivityOf({
  contactActivityAt,
  lastSeen,
  meetings,
  lastEventAt,
}: ActivityFacts): Health["contactActivity"] {
  if (contactActivityAt !== null) return { at: contactActivityAt, source: "api" };
  const platforms = lastSeen.toSorted((a, b) => (a.source < b.source ? -1 : 1));
  const latest: Health["contactActivity"] = { at: null, source: null };
  for (const { source, at } of [
    ...platforms.map(({ source, lastSeenAt }) => ({ source, at: lastSeenAt })),
    { source: "meeting", at: meetings.lastAt },
    { source: "event", at: lastEventAt },
  ])
    if (at !== null && (latest.at === null || at > latest.at)) Object.assign(latest, { at, source });
  return latest;
}

export type ActivityFacts = Pick<HealthFacts, "contactActivityAt" | "lastSeen" | "lastEventAt"> & {
  meetings: Pick<HealthFacts["meetings"], "lastAt">;
};

function factorsOf(
  facts: HealthFacts,
  contactAt: number | null,
  asOf: number,
  { settings, hasMeetings, hasRequests }: HealthRules,
): Factor[] {
  const { meetings, lastEventAt } = facts;
  const { open, openSeverity, openTime, resolved, resolvedTime } = facts.requests;
  const requests = open + resolved;
  const measured: (MeasuredFactor | undefined)[] = [
    contactAt === null ? undefined : inDays("contactActivity", asOf - contactAt),
    lastEventAt === null ? undefined : inDays("usageRecency", asOf - lastEventAt),
    measureTrend(facts),
    hasRequests
      ? { key: "openRequests", value: openSeverity, isMet: (max) => openSeverity * 1000 <= max }
      : undefined,
    hasMeetings
      ? { key: "meetings", value: meetings.recent, isMet: (min) => meetings.recent * 1000 >= min }
      : undefined,
    requests === 0 ? undefined : inDays("requestResolution", openTime + resolvedTime, requests),
  ];
  return measured.flatMap((factor) => {
    if (!factor) return [];
    const { key, value, isMet } = factor;
    const { enabled, weight, thresholds } = settings.factors[key];
    const score = bandScoreOf({ thresholds }, (threshold) => isMet(thousandthsOf(threshold)));
    return enabled ? [{ key, value, score, weight, contribution: null }] : [];
  });
}

/** `isMet` compares with thousandths, because a fraction is not exact. */
type MeasuredFactor = { key: FactorKey; value: number; isMet: (thousandths: number) => boolean };

/** The mean of `count` durations. Compares their sum, because the mean would not be exact. */
function inDays(key: FactorKey, total: number, count = 1): MeasuredFactor {
  const value = Math.floor(Math.max(0, total) / (count * (millisecondsOfDay / 100))) / 100;
  return { key, value, isMet: (days) => total < days * (millisecondsOfDay / 1000) * count };
}

/** Without events in either window, the score is the lowest if the last event is before both and today has none. */
function measureTrend({ usage, lastEventAt }: HealthFacts): MeasuredFactor | undefined {
  const { recent, before, today } = usage;
  if (before === 0 && (recent + today > 0 || lastEventAt === null)) return undefined;
  const value = before === 0 ? 0 : Math.floor((recent * 100) / before) / 100;
  const isMet = (ratio: number) => before > 0 && recent * 1000 >= before * ratio;
  return { key: "usageTrend", value, isMet };
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

function thousandthsOf(threshold: number): number {
  return Math.round(threshold * 1000);
}

function millisecondsOf(days: number): number {
  return thousandthsOf(days) * (millisecondsOfDay / 1000);
}

function timesAfter(at: number | null, days: readonly number[]): number[] {
  return at === null ? [] : days.map((count) => at + millisecondsOf(count));
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
