import { bandScoreOf, type FactorKey, type HealthSettings } from "../../../../shared/health.ts";
import { formatPercent, formatTime } from "../../format.ts";
import { account as accountTexts } from "../../messages/messages.ts";
import {
  type AccountHealth,
  type FactorReply,
  type KnownScores,
  rangeOf,
  scoreOfDays,
  scoresOf,
  totalOf,
} from "./health-factors.ts";

const text = accountTexts.outcomes;

/** What would change a score: the condition, and the score while all other factors stay as they are. */
export type ScoreOutcome = { condition: string; reason?: string; score: number; change: number | null };

const msPerDay = 86_400_000;

type OutcomeHealth = Pick<AccountHealth, "score" | "asOf" | "contactActivity" | "factors">;

/** Outcomes that raise and that lower the score of an account that can have one. */
export function outcomesOf(health: OutcomeHealth, settings: HealthSettings) {
  const scores = scoresOf(health.factors);
  const bands = health.factors.filter(({ key }) => key !== "usageTrend" || !isSilent(health));
  const outcomes = [
    ...activityGains(health, scores, settings),
    ...activityLosses(health, settings),
    ...bands.flatMap((factor) => bandChanges(factor, health, settings)),
    ...(scores.meetings === undefined ? [firstMeeting(health, settings)] : []),
  ].flatMap(({ condition, reason, changes }): ScoreOutcome[] => {
    const score = totalOf({ ...scores, ...changes }, settings);
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

function firstMeeting(health: OutcomeHealth, settings: HealthSettings): Condition {
  return {
    condition: text.firstMeeting,
    reason: text.firstMeetingReason,
    changes: {
      meetings: bandScoreOf(settings.factors.meetings, (min) => min <= 1),
      ...contactNow(health),
    },
  };
}

/** The activity after a meeting or an event now: the API's value has priority. */
function contactNow({ contactActivity }: Pick<AccountHealth, "contactActivity">): KnownScores {
  return contactActivity.source === "api" ? {} : { contactActivity: 100 };
}

/** Whether the last event is older than the days that the trend compares. Its next event makes the trend unknown. */
function isSilent({ factors }: Pick<AccountHealth, "factors">): boolean {
  const daysSince = factors.find(({ key }) => key === "usageRecency")?.value ?? 0;
  return daysSince >= 29;
}

function activityGains(health: OutcomeHealth, scores: KnownScores, settings: HealthSettings): Condition[] {
  const conditions: Condition[] = [];
  const afterEvent: KnownScores = { usageRecency: 100, ...(isSilent(health) && { usageTrend: undefined }) };
  const [days = 0] = settings.factors.contactActivity.thresholds;
  if (scores.contactActivity !== 100)
    conditions.push({
      condition: text.contact(days),
      changes: { contactActivity: 100 },
    });
  if (scores.usageRecency !== 100)
    conditions.push(
      health.contactActivity.source === "api"
        ? { condition: text.event, changes: afterEvent }
        : {
            condition: text.eventAsContact,
            changes: { ...afterEvent, ...contactNow(health) },
          },
    );
  return conditions;
}

/** The next loss by age: of the contact, of the events, or of both where the newest event is the contact. */
function activityLosses(
  { asOf, contactActivity, factors }: OutcomeHealth,
  settings: HealthSettings,
): Condition[] {
  const { at, source } = contactActivity;
  const contact = factors.find(({ key }) => key === "contactActivity");
  const recency = factors.find(({ key }) => key === "usageRecency");
  const contactDays = at === null ? undefined : (Date.parse(asOf) - Date.parse(at)) / msPerDay;
  const nextLimit = (key: FactorKey, days: number) =>
    settings.factors[key].thresholds.find((threshold) => days < threshold);
  if (at !== null && contactDays !== undefined && source === "event") {
    const limits = [nextLimit("contactActivity", contactDays), nextLimit("usageRecency", contactDays)];
    const limit = Math.min(...limits.filter((days) => days !== undefined));
    if (!Number.isFinite(limit)) return [];
    const changes = {
      ...(contact && { contactActivity: scoreOfDays("contactActivity", limit, settings) }),
      ...(recency && { usageRecency: scoreOfDays("usageRecency", limit, settings) }),
    };
    return [{ condition: text.noContactOrEvent(timeAfter(at, limit)), changes }];
  }
  const conditions: Condition[] = [];
  const contactLimit = contactDays === undefined ? undefined : nextLimit("contactActivity", contactDays);
  if (contact && at !== null && contactLimit !== undefined)
    conditions.push({
      condition: text.noContact(timeAfter(at, contactLimit)),
      changes: { contactActivity: scoreOfDays("contactActivity", contactLimit, settings) },
    });
  const recencyLimit = recency && rangeOf("usageRecency", recency.score, settings)?.limit;
  if (recencyLimit !== undefined)
    conditions.push({
      condition: text.noEvent(recencyLimit),
      changes: { usageRecency: scoreOfDays("usageRecency", recencyLimit, settings) },
    });
  return conditions;
}

function timeAfter(timestamp: string, days: number): string {
  return formatTime(new Date(Date.parse(timestamp) + days * msPerDay).toISOString());
}

/** One band up, and one down. */
function bandChanges(factor: FactorReply, health: OutcomeHealth, settings: HealthSettings): Condition[] {
  const { key, score } = factor;
  return [score + 20, score - 20].flatMap((other) => {
    const isUp = other > score;
    const condition = conditionOf(factor, other, isUp, settings);
    if (condition === undefined) return [];
    const changes = { [key]: other, ...(key === "meetings" && isUp && contactNow(health)) };
    return [{ condition, changes }];
  });
}

/** The condition for a score of a factor, in words; undefined if there is none, and for the factors of `activityGains`. */
function conditionOf(
  { key, value }: FactorReply,
  score: number,
  isUp: boolean,
  settings: HealthSettings,
): string | undefined {
  const range = rangeOf(key, score, settings);
  if (!range) return undefined;
  const { limit, next } = range;
  if (key === "usageTrend") return text.trend(trendText(limit, next));
  if (key === "openRequests") return openRequestsText(limit, next);
  if (key === "meetings" && isUp && limit !== undefined) {
    const missing = Math.ceil(limit) - value;
    return text.moreMeetings(missing);
  }
  if (key === "requestResolution" && isUp && limit !== undefined)
    return next === undefined ? text.openLess(limit) : text.openBetween(next, limit);
  return undefined;
}

function trendText(limit: number | undefined, next: number | undefined): string {
  if (limit === undefined) return text.below(formatPercent(next ?? 0));
  return next === undefined
    ? text.atLeast(formatPercent(limit))
    : text.between(formatPercent(limit), formatPercent(next));
}

function openRequestsText(limit: number | undefined, next: number | undefined): string {
  if (limit === 0) return text.noRequests;
  const least = next === undefined ? 0 : Math.floor(next) + 1;
  return limit === undefined ? text.severityFrom(least) : text.severity(least, Math.floor(limit));
}
