import { expect, test } from "bun:test";
import { factorKeys } from "../../src/shared/health.ts";

import {
  asOf,
  computeHealth,
  day,
  factor,
  findNextChange,
  health,
  meetings,
  never,
  noInputs,
  openFor,
  requests,
  resolvedIn,
  scoring,
  today,
  usage,
} from "./score-facts.ts";

test.each([
  ["contactActivity", 30, [3, 7, 14, 30], (time: number) => ({ contactActivityAt: asOf - time })],
  ["usageRecency", 20, [1, 3, 7, 14], (time: number) => ({ lastEventAt: asOf - time })],
  ["requestResolution", 10, [3, 7, 14, 30], (time: number) => ({ requests: resolvedIn(time) })],
] as const)(
  "%s, of weight %d, has a score 20 lower from each of %j days on",
  (key, weight, limits, inputs) => {
    for (const time of [-day, 0])
      expect(factor(key, inputs(time))).toMatchObject({ value: 0, score: 100, weight });
    for (const [index, days] of limits.entries()) {
      const score = 80 - 20 * index;
      expect(factor(key, inputs(days * day - 1))).toMatchObject({ value: days - 0.01, score: score + 20 });
      expect(factor(key, inputs(days * day))).toMatchObject({ value: days, score });
    }
  },
);

test("a mean that is a third of a millisecond below a limit is below the limit", () => {
  const three = resolvedIn(7 * day, 7 * day + 1, 7 * day - 2);
  expect(factor("requestResolution", { requests: three })).toMatchObject({ value: 6.99, score: 80 });
});

test.each([
  [11, 10, 1.1, 100],
  [109_999, 100_000, 1.09, 80],
  [9, 10, 0.9, 80],
  [89_999, 100_000, 0.89, 60],
  [7, 10, 0.7, 60],
  [69_999, 100_000, 0.69, 40],
  [4, 10, 0.4, 40],
  [39_999, 100_000, 0.39, 20],
  [29, 100, 0.29, 20],
])("%d events after %d are a ratio of %d and score %d", (recent, before, value, score) => {
  const counts = usage({ [-1]: recent, [-15]: before });
  expect(factor("usageTrend", { usage: counts })).toMatchObject({ value, score, weight: 15 });
});

test.each([
  ["the lowest without any event for 28 days", {}, { value: 0, score: 20, weight: 15 }],
  ["the lowest with events before only", { [-15]: 1 }, { value: 0, score: 20, weight: 15 }],
  ["the lowest with events before and today", { 0: 9, [-28]: 1 }, { value: 0, score: 20, weight: 15 }],
  ["unknown with events of the 14 days only", { [-14]: 1 }, undefined],
  ["unknown with events of today only", { 0: 1 }, undefined],
] as const)("with a known last event, the trend is %s", (_, counts, result) => {
  const inputs = { lastEventAt: asOf - 40 * day, usage: usage(counts) };
  expect(factor("usageTrend", inputs)).toEqual(result && expect.objectContaining(result));
});

test.each([
  ["openRequests", 15, { 100: [0], 80: [1, 3], 60: [4, 8], 40: [9, 15], 20: [16, 99] }],
  ["meetings", 10, { 100: [9, 6], 80: [5, 3], 60: [2], 40: [1], 20: [0] }],
] as const)("%s, of weight %d, has scores of these values: %j", (key, weight, values) => {
  for (const [score, sums] of Object.entries(values))
    for (const value of sums) {
      const open = { ...requests, openSeverity: value };
      const known = { hasRequests: true, hasMeetings: true };
      const inputs = { ...known, requests: open, meetings: { ...meetings, recent: value } };
      expect(factor(key, inputs)).toMatchObject({ value, score: Number(score), weight });
    }
});

test("a factor without data is left out", () => {
  const contactActivity = { at: null, source: null };
  expect(health({})).toEqual({ score: null, tier: null, coverage: 0, contactActivity, factors: [] });
  expect(health({ usage: usage({ 0: 5 }) }).factors).toEqual([]);
  for (const key of factorKeys) {
    const { factors } = computeHealth(scoring(...factorKeys.map((one) => (one === key ? 0 : 60))), asOf);
    // Without another source, the contact activity is the newest usage event.
    const result = factorKeys.filter((one) => one !== key || key === "contactActivity");
    expect(factors.map((one) => one.key)).toEqual(result);
  }
});

const [earlier, later] = [asOf - 20 * day, asOf - day];
const seen = (source: string, lastSeenAt: number) => ({ source, lastSeenAt });
const met = (lastAt: number) => ({ meetings: { ...meetings, lastAt } });
test.each([
  ["the API's, at any age", { contactActivityAt: earlier, lastSeen: [seen("crm", later)] }, earlier, "api"],
  [
    "else a platform's, if it is later",
    { lastSeen: [seen("crm", later)], lastEventAt: earlier },
    later,
    "crm",
  ],
  [
    "else an event's, if it is later",
    { lastSeen: [seen("crm", earlier)], lastEventAt: later },
    later,
    "event",
  ],
  ["else a meeting's, if it is later", { ...met(later), lastEventAt: earlier }, later, "meeting"],
  [
    "a platform's of equal ones",
    { ...met(later), lastSeen: [seen("x", later)], lastEventAt: later },
    later,
    "x",
  ],
  ["a meeting's before an equal event's", { ...met(later), lastEventAt: later }, later, "meeting"],
  ["the latest platform's", { lastSeen: [seen("crm", earlier), seen("mail", later)] }, later, "mail"],
  ["the first by name of equal ones", { lastSeen: [seen("mail", later), seen("crm", later)] }, later, "crm"],
  ["else the newest event", { lastEventAt: earlier }, earlier, "event"],
])("the contact activity is %s", (_, inputs, at, source) => {
  expect(health(inputs).contactActivity).toEqual({ at, source });
});

test.each([
  [[80, 80, 80, 80, 80, 80], 80, "healthy"],
  [[100, 80, 100, 80, 40, 20], 79, "attention"],
  [[60, 60, 60, 60, 60, 60], 60, "attention"],
  [[100, 80, 40, 20, 20, 20], 59, "at_risk"],
  [[40, 40, 40, 40, 40, 40], 40, "at_risk"],
  [[60, 40, 40, 20, 20, 20], 39, "critical"],
] as const)("factors of %j result in a score of %d, which is %s", (scores, score, tier) => {
  expect(computeHealth(scoring(...scores), asOf)).toMatchObject({ score, tier, coverage: 1 });
});

test.each([
  ["a score is rounded", [80, 60, 0, 40], 64.6, [36.9, 18.5, 9.2]],
  ["half a tenth is rounded up", [100, 100, 100, 80], 96.3, [37.5, 25, 18.8, 15]],
  ["the first of equal remainders is rounded up", [80, 20, 80], 61.5, [36.9, 6.2, 18.4]],
])("%s, and the contributions sum to the score: %j", (_, scores, score, contributions) => {
  const result = computeHealth(scoring(...scores), asOf);
  expect(result.score).toBe(score);
  expect(result.factors.map((one) => one.contribution)).toEqual(contributions);
});

test.each(["churned", "inactive"] as const)(
  "the health of an account that is %s has everything except a score",
  (status) => {
    const inputs = scoring(80, 80, 80, 80, 80, 80);
    const active = computeHealth(inputs, asOf);
    const factors = active.factors.map((one) => ({ ...one, contribution: null }));
    expect(computeHealth({ ...inputs, status }, asOf)).toEqual({
      ...active,
      score: null,
      tier: null,
      factors,
    });
    expect(computeHealth({ ...inputs, status: "onboarding" }, asOf)).toEqual(active);
  },
);

test("below a coverage of 0.3 there is no score, but the factors are returned", () => {
  const factors = [{ contribution: null }, { contribution: null }];
  const below = { score: null, tier: null, coverage: 0.25, factors };
  expect(computeHealth(scoring(0, 0, 80, 0, 60), asOf)).toMatchObject(below);
  expect(computeHealth(scoring(0, 0, 80, 80), asOf)).toMatchObject({ score: 80, coverage: 0.3 });
});

test.each([
  ["when a contact is 3 days old", { contactActivityAt: asOf }, asOf + 3 * day],
  ["when a contact of 3 days is 7 days old", { contactActivityAt: asOf - 3 * day }, asOf + 4 * day],
  ["when an event is a day old", { lastEventAt: asOf }, asOf + day],
  ["when the next day begins after events", { usage: usage({ [-28]: 1 }) }, (today + 1) * day],
  ["when a meeting begins", { meetings: { ...meetings, nextAt: asOf + 1 } }, asOf + 1],
  ["180 days after a meeting", { meetings: { ...meetings, oldestRecentAt: later } }, later + 180 * day],
  ["90 days after a resolution", { requests: { ...requests, oldestResolvedAt: later } }, later + 90 * day],
  ["when a request is made", { requests: { ...requests, nextAt: asOf + 1 } }, asOf + 1],
  ["when an open request is 3 days old", { requests: openFor(asOf - day) }, asOf + 2 * day],
  [
    "when open requests are 7 days old on average",
    { requests: openFor(asOf - 2 * day, asOf - 5 * day - 1) },
    asOf + Math.ceil((7 * day - 1) / 2),
  ],
  [
    "when open and resolved requests are 14 days old on average",
    { requests: { ...openFor(asOf - 9 * day), resolved: 1, resolvedTime: 18 * day } },
    asOf + day,
  ],
  ["never for old open requests", { requests: openFor(asOf - 30 * day) }, never],
])("health can change by itself %s", (_, inputs, timestamp) => {
  expect(findNextChange({ ...noInputs, ...inputs }, asOf)).toBe(timestamp);
});
