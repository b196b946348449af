import { expect, test } from "bun:test";
import {
  fullScoreText,
  ruleOf,
  scoresOf,
  textOfFactor,
  totalOf,
} from "../../src/console/app/pages/account/health-factors.ts";
import { outcomesOf } from "../../src/console/app/pages/account/score-outcomes.ts";
import { millisecondsOfDay } from "../../src/core/timestamps.ts";
import type { HealthFacts } from "../../src/health-scores/score.ts";
import * as scores from "../../src/health-scores/score.ts";
import { factorKeys, defaultHealthSettings as settings } from "../../src/shared/health.ts";

type Facts = HealthFacts & { hasMeetings: boolean; hasRequests: boolean };
const computeHealth = (facts: Facts, asOf: number) =>
  scores.computeHealth(facts, asOf, { settings, ...facts });

const asOf = Date.UTC(2026, 5, 15, 12);
const daysAgo = (days: number) => asOf - days * millisecondsOfDay;

/** Numbers from 0 to 1 that are the same in each run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function randomFacts(next: () => number): Facts {
  const pick = <T>(...items: T[]): T => items[Math.floor(next() * items.length)] as T;
  const hasRequests = next() > 0.3;
  const resolved = hasRequests ? pick(0, 0, 1, 3) : 0;
  const daysSinceEvent = pick(null, next() * 20, 29 + next() * 20);
  const lastEventAt = daysSinceEvent === null ? null : daysAgo(daysSinceEvent);
  return {
    status: "active",
    contactActivityAt: pick(null, null, daysAgo(next() * 40)),
    lastSeen: next() > 0.6 ? [{ source: "crm", lastSeenAt: daysAgo(next() * 40) }] : [],
    lastEventAt,
    usage:
      daysSinceEvent === null || daysSinceEvent >= 29
        ? { recent: 0, before: 0, today: 0 }
        : {
            recent: Math.floor(next() * 120),
            before: Math.floor(next() * 120),
            today: Math.floor(next() * 9),
          },
    hasRequests,
    requests: {
      ...{ open: 0, openTime: 0, nextAt: null },
      openSeverity: hasRequests ? Math.floor(next() * 20) : 0,
      resolved,
      resolvedTime: resolved * next() * 40 * millisecondsOfDay,
      oldestResolvedAt: resolved > 0 ? daysAgo(20) : null,
    },
    hasMeetings: next() > 0.4,
    meetings: {
      lastAt: next() > 0.7 ? daysAgo(next() * 40) : null,
      recent: Math.floor(next() * 8),
      oldestRecentAt: daysAgo(100),
      nextAt: null,
    },
  };
}

function replyOf(facts: Facts) {
  const health = computeHealth(facts, asOf);
  const { at, source } = health.contactActivity;
  return {
    ...health,
    asOf: new Date(asOf).toISOString(),
    contactActivity: { at: at === null ? null : new Date(at).toISOString(), source },
  };
}

const next = randomNumbers(7);
const samples = Array.from({ length: 500 }, () => randomFacts(next));

test("The total of the factors is the score of the server", () => {
  for (const facts of samples) {
    const health = computeHealth(facts, asOf);
    expect(totalOf(scoresOf(health.factors), settings)).toBe(health.score);
  }
});

/** The score that the outcomes have for a condition, if there is one. */
function statedScore(facts: Facts, condition: string): number | undefined {
  const { raises, lowers } = outcomesOf(replyOf(facts), settings);
  return [...raises, ...lowers].find((outcome) => outcome.condition === condition)?.score;
}

function expectStated(condition: string, change: (facts: Facts) => Facts): void {
  let found = 0;
  for (const facts of samples) {
    const stated = statedScore(facts, condition);
    if (stated === undefined) continue;
    found += 1;
    expect(computeHealth(change(facts), asOf).score).toBe(stated);
  }
  expect(found).toBeGreaterThan(5);
}

test("A contact gives the stated score", () => {
  expectStated("A contact within the last 3 days", (facts) => ({
    ...facts,
    contactActivityAt: daysAgo(2.9),
  }));
});

test("A usage event gives the stated score, with and without another source of contacts", () => {
  const addEvent = (facts: Facts) => ({
    ...facts,
    lastEventAt: asOf,
    usage: { ...facts.usage, today: facts.usage.today + 1 },
  });
  expectStated("A usage event now", addEvent);
  expectStated("A usage event now, which also counts as contact", addEvent);
});

test("Requests and meetings give the stated score", () => {
  const withSeverity = (openSeverity: number) => (facts: Facts) => ({
    ...facts,
    requests: { ...facts.requests, openSeverity },
  });
  expectStated("No open requests", withSeverity(0));
  for (const severity of [1, 3])
    expectStated("Open requests with a total severity of 1 to 3", withSeverity(severity));
  for (const severity of [9, 15])
    expectStated("Open requests with a total severity of 9 to 15", withSeverity(severity));
  expectStated("Open requests with a total severity of 16 or more", withSeverity(16));
  const meetNow = (facts: Facts, recent: number) => ({
    ...facts,
    hasMeetings: true,
    meetings: { ...facts.meetings, recent, lastAt: asOf },
  });
  expectStated("1 more meeting", (facts) => meetNow(facts, facts.meetings.recent + 1));
  expectStated("A first meeting of your organization", (facts) => meetNow(facts, 1));
});

test("Each factor says what gives it the score 100, by its threshold", () => {
  expect(factorKeys.map((key) => fullScoreText(key, settings))).toEqual([
    "Full score within 3 days.",
    "Full score within 1 day.",
    "Full score from 110%.",
    "Full score with none.",
    "Full score from 6.",
    "Full score within 3 days.",
  ]);
  const meetings = { ...settings.factors.meetings, thresholds: [9, 3, 2, 1] };
  const changed = { ...settings, factors: { ...settings.factors, meetings } };
  expect(fullScoreText("meetings", changed)).toBe("Full score from 9.");
  expect(ruleOf("meetings", changed)).toBe("100 from 9, 80 from 3, 60 from 2, 40 from 1, else 20");
});

test("The value of a factor is a sentence, in which an age above a limit is above it", () => {
  const sentenceOf = (value: number) => textOfFactor({ key: "contactActivity", value });
  expect([0.5, 1, 2.95, 3.01, 20.3].map(sentenceOf)).toEqual([
    "Last activity less than a day ago.",
    "Last activity 1 day ago.",
    "Last activity 3 days ago.",
    "Last activity 3.1 days ago.",
    "Last activity 20 days ago.",
  ]);
  expect(textOfFactor({ key: "meetings", value: 1 })).toBe("1 meeting in 180 days.");
  // The value is truncated to two decimals, and the weeks before may have no usage either.
  expect(textOfFactor({ key: "usageTrend", value: 0 })).toBe(
    "No or almost no usage in the 14 days before today.",
  );
  expect(textOfFactor({ key: "usageTrend", value: 0.5 })).toBe("Usage is 50% of the two weeks before.");
});

test("Without a contact and an event, the score falls to the stated one at the stated time", () => {
  let found = 0;
  for (const facts of samples) {
    const { raises, lowers } = outcomesOf(replyOf(facts), settings);
    const loss = [...raises, ...lowers].find(({ condition }) =>
      condition.startsWith("No contact and no usage event"),
    );
    if (!loss || facts.lastEventAt === null) continue;
    found += 1;
    const days = (asOf - facts.lastEventAt) / millisecondsOfDay;
    const limit = [1, 3, 7, 14, 30].find((each) => days < each) ?? Number.NaN;
    // The event, which is the contact, is older; the sources before it are older still; all other facts stay.
    const older = { ...facts, lastSeen: [], meetings: { ...facts.meetings, lastAt: null } };
    const { score } = computeHealth({ ...older, lastEventAt: daysAgo(limit) }, asOf);
    expect(score).toBe(loss.score);
  }
  expect(found).toBeGreaterThan(20);
});
