import type { Data } from "./data.ts";
import { mainPlans, type Org, type Plan } from "./organizations.ts";
import type { Measured } from "./results.ts";
import type { Work } from "./work.ts";

const needles = { frequent: "group", rare: "maremolex", absent: "quixotry", letter: "e" };
const orgsOf = (plans: Plan[]): Org[] => plans.map((plan) => ({ ...plan, needles }));
const [large, medium, ...small] = orgsOf(mainPlans(false));
if (!large || !medium) throw new Error("there are no plans");

/** The organizations without their databases, for tests of works. */
export const sample = {
  before: "",
  accountd: "",
  plain: "",
  organizations: { large, medium, small },
} satisfies Data;

export const names = ["accountd", "floor", "fastify"];

export function workOf(name: string, more: Partial<Work> = {}): Work {
  return { name, title: `the ${name}`, streams: [], ...more };
}

/** The measurements of a contestant in a work: this rate in each round, with its reciprocal as latency. */
export function measured(contestant: string, work: string, ...speeds: number[]): Measured[] {
  return speeds.map((perSecond, i) => {
    const [p50, p99] = [1_000 / perSecond, 10_000 / perSecond];
    const figures = { perSecond, p50, p99, p999: 2 * p99, max: 2 * p99, answered: 100, failed: {} };
    return { round: i + 1, contestant, work, figures };
  });
}

export function failing(
  contestant: string,
  work: string,
  round: number,
  failed: Record<string, number>,
): Measured[] {
  return measured(contestant, work, 9_999).map(({ figures, ...rest }) => ({
    ...rest,
    round,
    ...(figures && { figures: { ...figures, failed } }),
  }));
}

export const failedMeasurement = (contestant: string, work: string, round: number): Measured => ({
  round,
  contestant,
  work,
  failure: "gone",
});
