import { type FactorKey, factorRules } from "../../../../shared/health.ts";
import { formatNumber, formatPercent, formatTime } from "../../format.ts";
import {
  type AccountHealth,
  type FactorReply,
  type KnownScores,
  rangeOf,
  scoreOfDays,
  scoresOf,
  totalOf,
} from "./health-factors.ts";

/** What would change a score: the condition, and the score while all other factors stay as they are. */
export type ScoreOutcome = { condition: string; reason?: string; score: number; change: number | null };

const msPerDay = 86_400_000;

/** Outcomes that raise and that lower the score of an account that can have one. */
export function outlookOf(health: Pick<AccountHealth, "score" | "asOf" | "contactActivity" | "factors">) {
  const scores = scoresOf(health.factors);
  const outcomes = [
    ...activityGains(health, scores),
    ...activityLosses(health),
    ...health.factors.filter(({ key }) => key !== "usageTrend" || !isSilent(health)).flatMap(bandChanges),
    ...(scores.meetings === undefined ? [firstMeeting] : []),
  ].flatMap(({ condition, reason, changes }): ScoreOutcome[] => {
    const score = totalOf({ ...scores, ...changes });
    if (score === null || score === health.score) return [];
    // Both have one decimal; their difference has too.
    const change = health.score === null ? null : Math.round((score - health.score) * 10) / 10;
    return [{ condition, ...(reason !== undefined && { reason }), score, change }];
  });
  return {
    raises: outcomes.filter(({ change }) => change === null || change > 0).sort((a, b) => b.score - a.score),
    lowers: outcomes.filter(({ change }) => change !== null && change < 0).sort((a, b) => a.score - b.score),
  };
}

/** `reason`: why the score changes, where the condition does not show it. */
type Condition = { condition: string; reason?: string; changes: KnownScores };

const firstMeeting: Condition = {
  condition: "A first meeting",
  reason: "Meetings count from the start of the first one: 1 within 180 days scores 40, 6 or more score 100.",
  changes: { meetings: 40 },
};

/** Without another source, the newest event is the contact activity. */
function areEventsContact({ contactActivity: { source } }: Pick<AccountHealth, "contactActivity">): boolean {
  return source === null || source === "event";
}

/** Whether the last event is older than the days that the trend compares. Its next event makes the trend unknown. */
function isSilent({ factors }: Pick<AccountHealth, "factors">): boolean {
  const daysSince = factors.find(({ key }) => key === "usageRecency")?.value ?? 0;
  return daysSince >= 29;
}

function activityGains(
  health: Pick<AccountHealth, "contactActivity" | "factors">,
  scores: KnownScores,
): Condition[] {
  const conditions: Condition[] = [];
  const afterEvent: KnownScores = { usageRecency: 100, ...(isSilent(health) && { usageTrend: undefined }) };
  if (scores.contactActivity !== 100)
    conditions.push({ condition: "A contact within the last 3 days", changes: { contactActivity: 100 } });
  if (scores.usageRecency !== 100)
    conditions.push(
      areEventsContact(health)
        ? {
            condition: "A usage event now, which also counts as contact",
            changes: { ...afterEvent, contactActivity: 100 },
          }
        : { condition: "A usage event now", changes: afterEvent },
    );
  return conditions;
}

/** The next loss by age: of the contact, of the events, or of both where events are the contact. */
function activityLosses(health: Pick<AccountHealth, "asOf" | "contactActivity" | "factors">): Condition[] {
  const { at } = health.contactActivity;
  const asOf = Date.parse(health.asOf);
  const contact = health.factors.find(({ key }) => key === "contactActivity");
  const recency = health.factors.find(({ key }) => key === "usageRecency");
  const contactDays = at === null ? undefined : (asOf - Date.parse(at)) / msPerDay;
  if (contact && contactDays !== undefined && areEventsContact(health)) {
    const limits = [nextLimit("contactActivity", contactDays), nextLimit("usageRecency", contactDays)];
    const limit = Math.min(...limits.filter((days) => days !== undefined));
    if (!Number.isFinite(limit) || at === null) return [];
    const changes = {
      contactActivity: scoreOfDays("contactActivity", limit),
      usageRecency: scoreOfDays("usageRecency", limit),
    };
    return [{ condition: `No contact and no usage event until ${timeAfter(at, limit)}`, changes }];
  }
  const conditions: Condition[] = [];
  const contactLimit = contactDays === undefined ? undefined : nextLimit("contactActivity", contactDays);
  if (at !== null && contactLimit !== undefined)
    conditions.push({
      condition: `No contact until ${timeAfter(at, contactLimit)}`,
      changes: { contactActivity: scoreOfDays("contactActivity", contactLimit) },
    });
  const recencyLimit = recency && rangeOf("usageRecency", recency.score)?.limit;
  if (recencyLimit !== undefined)
    conditions.push({
      condition: `No usage event until ${daysText(recencyLimit)} after the last one`,
      changes: { usageRecency: scoreOfDays("usageRecency", recencyLimit) },
    });
  return conditions;
}

/** The limit of days at which the score falls next. */
function nextLimit(key: FactorKey, days: number): number | undefined {
  return factorRules[key].limits.find((limit) => days < limit);
}

function timeAfter(timestamp: string, days: number): string {
  return formatTime(new Date(Date.parse(timestamp) + days * msPerDay).toISOString());
}

function daysText(days: number): string {
  return days === 1 ? "1 day" : `${formatNumber(days)} days`;
}

/** One band up, and one down. */
function bandChanges({ key, value, score }: FactorReply): Condition[] {
  return [score + 20, score - 20].flatMap((other) => {
    const isUp = other > score;
    const condition = conditionOf(key, other, isUp, value);
    return condition === undefined ? [] : [{ condition, changes: { [key]: other } }];
  });
}

/** The condition for a score of a factor, in words; undefined if there is none, and for the factors of `activityGains`. */
function conditionOf(key: FactorKey, score: number, isUp: boolean, value: number): string | undefined {
  const range = rangeOf(key, score);
  if (!range) return undefined;
  const { limit, next } = range;
  if (key === "usageTrend") return `Usage in 14 days ${trendText(limit, next)} of the 14 days before`;
  if (key === "openRequests") return openRequestsText(limit, next);
  if (key === "meetings" && isUp && limit !== undefined) {
    const missing = limit - value;
    return missing === 1 ? "1 more meeting" : `${formatNumber(missing)} more meetings`;
  }
  if (key === "requestResolution" && isUp && limit !== undefined)
    return next === undefined
      ? `Requests resolved in less than ${daysText(limit)} on average`
      : `Requests resolved in ${formatNumber(next)} to ${daysText(limit)} on average`;
  return undefined;
}

function trendText(limit: number | undefined, next: number | undefined): string {
  const percent = (tenths: number) => formatPercent(tenths / 10);
  if (limit === undefined) return `less than ${percent(next ?? 0)}`;
  return next === undefined
    ? `at least ${percent(limit)}`
    : `from ${percent(limit)} to less than ${percent(next)}`;
}

function openRequestsText(limit: number | undefined, next: number | undefined): string {
  if (limit === 0) return "No open requests";
  const least = (next ?? 0) + 1;
  return limit === undefined
    ? `Open requests with a total severity of ${least} or more`
    : `Open requests with a total severity of ${least} to ${limit}`;
}
