import type { HealthFacts, HealthRules } from "../../src/health-scores/score.ts";
import * as scores from "../../src/health-scores/score.ts";
import { defaultHealthSettings } from "../../src/shared/health.ts";

/** The facts of an account, and what its organization has. */
export type Facts = HealthFacts & Partial<Pick<HealthRules, "hasMeetings" | "hasRequests">>;
export type Inputs = Partial<Facts>;
export const rulesOf = ({ hasMeetings = false, hasRequests = false }: Facts): HealthRules => ({
  settings: defaultHealthSettings,
  hasMeetings,
  hasRequests,
});
export const computeHealth = (facts: Facts, asOf: number) =>
  scores.computeHealth(facts, asOf, rulesOf(facts));
export const findNextChange = (facts: Facts, asOf: number) =>
  scores.findNextChange(facts, asOf, rulesOf(facts));
export const hour = 3_600_000;
export const day = 24 * hour;
export const asOf = Date.UTC(2026, 5, 15, 13, 30, 0, 250);
export const today = Math.floor(asOf / day);
export const never = Number.MAX_SAFE_INTEGER;

export const requests = {
  ...{ open: 0, openSeverity: 0, openTime: 0 },
  ...{ resolved: 0, resolvedTime: 0, oldestResolvedAt: null, nextAt: null },
};
export const meetings = { lastAt: null, recent: 0, oldestRecentAt: null, nextAt: null };
export const noUsage = { recent: 0, before: 0, today: 0 };
export const unused = { contactActivityAt: null, lastSeen: [], lastEventAt: null, usage: noUsage };
export const noInputs: HealthFacts = { status: "active", ...unused, requests, meetings };

export const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
export const health = (inputs: Inputs) => computeHealth({ ...noInputs, ...inputs }, asOf);
export const factor = (key: string, inputs: Inputs) => health(inputs).factors.find((one) => one.key === key);
/** The usage of days, whose offsets count from a day. */
export const usage = (counts: Record<number, number>, day = 0) => {
  const between = (first: number, end: number) =>
    sum(
      Object.entries(counts).flatMap(([offset, count]) =>
        Number(offset) - day >= first && Number(offset) - day < end ? count : [],
      ),
    );
  return { recent: between(-14, 0), before: between(-28, -14), today: between(0, 1) };
};
export const openFor = (...requestedAt: number[]) => ({
  ...requests,
  open: requestedAt.length,
  openTime: sum(requestedAt.map((at) => asOf - at)),
});
export const resolvedIn = (...times: number[]) => ({
  ...requests,
  resolved: times.length,
  resolvedTime: sum(times),
});

/** Inputs whose factors have these scores, in the order of the table; 0 is a missing factor. */
export function scoring(...scores: number[]): Facts {
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
