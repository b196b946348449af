import { expect, test } from "bun:test";
import type { HealthFacts, HealthRules } from "../../src/health-scores/score.ts";
import * as scores from "../../src/health-scores/score.ts";
import { defaultHealthSettings, factorKeys } from "../../src/shared/health.ts";

/** The facts of an account, and what its organization has. */
type Facts = HealthFacts & Partial<Pick<HealthRules, "hasMeetings" | "hasRequests">>;
type Inputs = Partial<Facts>;
const rulesOf = ({ hasMeetings = false, hasRequests = false }: Facts): HealthRules => ({
  settings: defaultHealthSettings,
  hasMeetings,
  hasRequests,
});
const computeHealth = (facts: Facts, asOf: number) => scores.computeHealth(facts, asOf, rulesOf(facts));
const findNextChange = (facts: Facts, asOf: number) => scores.findNextChange(facts, asOf, rulesOf(facts));
const hour = 3_600_000;
const day = 24 * hour;
const asOf = Date.UTC(2026, 5, 15, 13, 30, 0, 250);
const today = Math.floor(asOf / day);
const never = Number.MAX_SAFE_INTEGER;

const requests = {
  ...{ open: 0, openSeverity: 0, openTime: 0 },
  ...{ resolved: 0, resolvedTime: 0, oldestResolvedAt: null, nextAt: null },
};
const meetings = { lastAt: null, recent: 0, oldestRecentAt: null, nextAt: null };
const noUsage = { recent: 0, before: 0, today: 0 };
const unused = { contactActivityAt: null, lastSeen: [], lastEventAt: null, usage: noUsage };
const noInputs: HealthFacts = { status: "active", ...unused, requests, meetings };

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
const health = (inputs: Inputs) => computeHealth({ ...noInputs, ...inputs }, asOf);
const factor = (key: string, inputs: Inputs) => health(inputs).factors.find((one) => one.key === key);
/** The usage of days, whose offsets count from a day. */
const usage = (counts: Record<number, number>, day = 0) => {
  const between = (first: number, end: number) =>
    sum(
      Object.entries(counts).flatMap(([offset, count]) =>
        Number(offset) - day >= first && Number(offset) - day < end ? count : [],
      ),
    );
  return { recent: between(-14, 0), before: between(-28, -14), today: between(0, 1) };
};
const openFor = (...requestedAt: number[]) => ({
  ...requests,
  open: requestedAt.length,
  openTime: sum(requestedAt.map((at) => asOf - at)),
});
const resolvedIn = (...times: number[]) => ({
  ...requests,
  resolved: times.length,
  resolvedTime: sum(times),
});

/** Inputs whose factors have these scores, in the order of the table; 0 is a missing factor. */
function scoring(...scores: number[]): Facts {
  const pick = (index: number, values: number[]) => values[5 - (scores[index] ?? 0) / 20] ?? null;
  const ago = (days: number | null) => (days === null ? null : asOf - days * day);
  const [recentEvents, openSeverity] = [pick(2, [11, 9, 7, 4, 0]), pick(3, [0, 3, 8, 15, 16])];
  const [recent, resolution] = [pick(4, [6, 3, 2, 1, 0]), pick(5, [0, 3, 7, 14, 30])];
  const open = openSeverity !== null && { openSeverity };
  return {
    ...noInputs,
    contactActivityAt: ago(pick(0, [0, 3, 7, 14, 30])),
    lastEventAt: ago(pick(1, [0, 1, 3, 7, 14])),
    usage: recentEvents === null ? usage({ 0: 1 }) : usage({ [-1]: recentEvents, [-15]: 10 }),
    requests: { ...(resolution === null ? requests : resolvedIn(resolution * day)), ...open },
    meetings: { ...meetings, ...(recent !== null && { recent }) },
    ...{ hasRequests: openSeverity !== null, hasMeetings: recent !== null },
  };
}

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

/** Random data of an account. Only meetings may be in the future. */
type AccountData = Pick<HealthFacts, "status" | "contactActivityAt" | "lastSeen"> &
  Record<"events" | "open" | "resolutions" | "begins", number[]> & { requestedAt: number[] };

function inputsAt(
  { events, open, requestedAt, resolutions, begins: meetingStarts, ...inputs }: AccountData,
  timestamp: number,
): Facts {
  const within = (days: number) => (time: number) => time > timestamp - days * day && time <= timestamp;
  const first = (times: number[]) => (times.length > 0 ? Math.min(...times) : null);
  const dayOf = (time: number) => Math.floor(time / day);
  const counts = Map.groupBy(
    events.filter((time) => dayOf(time) > dayOf(timestamp) - 29),
    dayOf,
  );
  const resolvedRecently = resolutions.filter(within(90));
  const begun = meetingStarts.filter((time) => time <= timestamp);
  const recent = meetingStarts.filter(within(180));
  const nextAt = first(meetingStarts.filter((time) => time > timestamp));
  return {
    ...inputs,
    lastEventAt: events.length > 0 ? Math.max(...events) : null,
    usage: usage(
      Object.fromEntries([...counts].map(([day, { length }]) => [day - dayOf(timestamp), length])),
    ),
    requests: {
      ...resolvedIn(...resolvedRecently.map((time) => time % (40 * day))),
      open: open.length,
      openSeverity: sum(open),
      openTime: sum(open.map((_, i) => timestamp - (requestedAt[i] ?? timestamp))),
      oldestResolvedAt: first(resolvedRecently),
    },
    meetings: {
      lastAt: begun.length > 0 ? Math.max(...begun) : null,
      ...{ recent: recent.length, oldestRecentAt: first(recent), nextAt },
    },
    ...{ hasMeetings: meetingStarts.length > 0, hasRequests: open.length + resolutions.length > 0 },
  };
}

/** Pseudo-random data, determined by the seed. */
function* randomData(count: number, seed: number): Generator<AccountData> {
  let state = seed;
  const below = (limit: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.floor((state / 2_147_483_647) * limit);
  };
  const list = <T>(maxLength: number, make: () => T) =>
    Array.from({ length: below(2 * maxLength) - maxLength }, make);
  // Half of the times are whole days before asOf, at the limits and the ends of windows.
  const ago = (days: number) => asOf - (below(2) === 0 ? below(days * day) : below(days) * day);
  for (let index = 0; index < count; index += 1)
    yield {
      status: below(5) === 0 ? "churned" : "active",
      contactActivityAt: below(2) === 0 ? ago(40) : null,
      lastSeen: list(3, () => ({ source: String(below(100)), lastSeenAt: ago(40) })),
      events: list(30, () => ago(below(2) === 0 ? 14 : 40)),
      open: list(6, () => below(6)),
      requestedAt: Array.from({ length: 6 }, () => ago(40)),
      resolutions: list(4, () => ago(100)),
      begins: list(8, () => ago(220) + 20 * day),
    };
}

test("contributions sum exactly to the score, and differ by less than a tenth from their shares", () => {
  const tenthsOf = (number: number | null) => Math.round((number ?? Number.NaN) * 10);
  const scored = [...randomData(1000, 1)].map((world) => computeHealth(inputsAt(world, asOf), asOf));
  for (const { score, coverage, factors } of scored.filter((one) => one.score !== null)) {
    const [tenths, contributions] = [tenthsOf(score), factors.map((one) => tenthsOf(one.contribution))];
    const shares = factors.map((one) => one.weight * one.score);
    const points = sum(shares);
    expect(tenths).toBe(Math.floor(points / (10 * coverage) + 0.5));
    expect(sum(contributions)).toBe(tenths);
    expect(factors.map((one) => one.contribution)).toEqual(contributions.map((part) => part / 10));
    for (const [index, share] of shares.entries())
      expect(Math.abs((contributions[index] ?? 0) * points - tenths * share)).toBeLessThan(points);
  }
  expect(scored.filter((one) => one.score !== null).length).toBeGreaterThan(500);
});

test("without resolved requests and later meetings, no later day has a higher score once the last event is 14 days old", () => {
  let falls = 0;
  for (const world of randomData(200, 3)) {
    const silent = { ...world, status: "active" as const, resolutions: [] };
    const lastAt = Math.max(...world.events, ...world.lastSeen.map(({ lastSeenAt }) => lastSeenAt));
    const begins = world.begins.filter((time) => time <= asOf);
    const from = Math.max(asOf, lastAt + 14 * day + 1);
    const scoreAt = (timestamp: number) =>
      computeHealth(inputsAt({ ...silent, begins }, timestamp), timestamp).score ?? 0;
    let last = scoreAt(from);
    for (let timestamp = from + hour; timestamp < from + 50 * day; timestamp += 7 * hour) {
      const next = scoreAt(timestamp);
      expect(next).toBeLessThanOrEqual(last);
      if (next < last) falls += 1;
      last = next;
    }
  }
  expect(falls).toBeGreaterThan(160);
});

test("score, tier and coverage do not change before the time of findNextChange", () => {
  let changes = 0;
  for (const world of randomData(120, 2)) {
    const at = (timestamp: number) => ({
      ...computeHealth(inputsAt(world, timestamp), timestamp),
      factors: [],
    });
    for (let timestamp = asOf, next = asOf; next !== never; timestamp = next) {
      next = findNextChange(inputsAt(world, timestamp), timestamp);
      expect(next).toBeGreaterThan(timestamp);
      const last = Math.min(next - 1, timestamp + 400 * day);
      for (const other of [Math.floor((timestamp + last) / 2), last])
        expect(at(other)).toEqual(at(timestamp));
      if (!Bun.deepEquals(at(next), at(timestamp))) changes += 1;
    }
  }
  expect(changes).toBeGreaterThan(480);
});
