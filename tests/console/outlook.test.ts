import { expect, test } from "bun:test";
import { countedTexts, scoresOf, totalOf } from "../../src/console/app/pages/account/health-factors.ts";
import { outlookOf } from "../../src/console/app/pages/account/outlook.ts";
import { millisecondsOfDay } from "../../src/core/timestamps.ts";
import { computeHealth, type HealthFacts } from "../../src/health-scores/score.ts";
import { factorRules } from "../../src/shared/health.ts";

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

function randomFacts(next: () => number): HealthFacts {
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
    requests: {
      hasAny: hasRequests,
      openSeverity: hasRequests ? Math.floor(next() * 20) : 0,
      resolved,
      resolvedTime: resolved * next() * 40 * millisecondsOfDay,
      oldestResolvedAt: resolved > 0 ? daysAgo(20) : null,
    },
    meetings: {
      hasAny: next() > 0.4,
      recent: Math.floor(next() * 8),
      oldestRecentAt: daysAgo(100),
      nextAt: null,
    },
  };
}

function replyOf(facts: HealthFacts) {
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
    expect(totalOf(scoresOf(health.factors))).toBe(health.score);
  }
});

/** The score that the outlook states for a condition, if it is part of it. */
function statedScore(facts: HealthFacts, condition: string): number | undefined {
  const { raises, lowers } = outlookOf(replyOf(facts));
  return [...raises, ...lowers].find((outcome) => outcome.condition === condition)?.score;
}

function expectStated(condition: string, change: (facts: HealthFacts) => HealthFacts): void {
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
  const addEvent = (facts: HealthFacts) => ({
    ...facts,
    lastEventAt: asOf,
    usage: { ...facts.usage, today: facts.usage.today + 1 },
  });
  expectStated("A usage event now", addEvent);
  expectStated("A usage event now, which also counts as contact", addEvent);
});

test("Requests and meetings give the stated score", () => {
  const withSeverity = (openSeverity: number) => (facts: HealthFacts) => ({
    ...facts,
    requests: { ...facts.requests, openSeverity },
  });
  expectStated("No open requests", withSeverity(0));
  for (const severity of [1, 3])
    expectStated("Open requests with a total severity of 1 to 3", withSeverity(severity));
  for (const severity of [9, 15])
    expectStated("Open requests with a total severity of 9 to 15", withSeverity(severity));
  expectStated("Open requests with a total severity of 16 or more", withSeverity(16));
  expectStated("1 more meeting", (facts) => ({
    ...facts,
    meetings: { ...facts.meetings, recent: facts.meetings.recent + 1 },
  }));
  expectStated("A first meeting", (facts) => ({
    ...facts,
    meetings: { ...facts.meetings, hasAny: true, recent: 1 },
  }));
});

test("A first meeting says why it changes the score, with the scores of the server", () => {
  const first = samples.find((facts) => !facts.meetings.hasAny && computeHealth(facts, asOf).score !== null);
  if (!first) throw new Error("no sample without meetings has a score");
  const { raises, lowers } = outlookOf(replyOf(first));
  const reasons = [...raises, ...lowers].flatMap(({ condition, reason }) =>
    reason === undefined ? [] : [[condition, reason]],
  );
  expect(reasons).toEqual([
    [
      "A first meeting",
      "Meetings count from the start of the first one: 1 within 180 days scores 40, 6 or more score 100.",
    ],
  ]);
  const scoreOf = (recent: number) => {
    const meetings = { ...first.meetings, hasAny: true, recent };
    return computeHealth({ ...first, meetings }, asOf).factors.find(({ key }) => key === "meetings")?.score;
  };
  expect([0, 1, 5, 6].map(scoreOf)).toEqual([20, 40, 80, 100]);
});

test("Each factor says what gives it the score 100, by the limits of the server", () => {
  for (const [key, text] of Object.entries(countedTexts)) {
    const [limit = Number.NaN] = factorRules[key as keyof typeof factorRules].limits;
    const number = key === "usageTrend" ? `${limit * 10}%` : String(limit);
    expect(text).toContain(limit === 0 ? " none " : ` ${number} `);
  }
});

test("Without a contact and an event, the score falls to the stated one at the stated time", () => {
  let found = 0;
  for (const facts of samples) {
    const { raises, lowers } = outlookOf(replyOf(facts));
    const loss = [...raises, ...lowers].find(({ condition }) =>
      condition.startsWith("No contact and no usage event"),
    );
    if (!loss || facts.lastEventAt === null) continue;
    found += 1;
    const days = (asOf - facts.lastEventAt) / millisecondsOfDay;
    const limit = [1, 3, 7, 14, 30].find((each) => days < each) ?? Number.NaN;
    // The contact and the event are older; all other facts stay.
    const { score } = computeHealth({ ...facts, lastEventAt: daysAgo(limit) }, asOf);
    expect(score).toBe(loss.score);
  }
  expect(found).toBeGreaterThan(20);
});
