import type { Body } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";
import type { Answer } from "./model-state.ts";

/** A reply of the service; `body` is its JSON, `version` that of its entity tag. */
export type Reply = { status: number; body: unknown; version?: number; isReplayed?: boolean };
type Sent = { data?: unknown; pagination?: unknown; code?: string; errors?: Record<string, string>[] };
export type Health = Body & { score: number | null; tier: string | null; coverage: number } & {
  contactActivity: unknown;
  factors: { contribution: number | null; weight: number }[];
};

/** A reply in the format of the model: without texts for people, and without scores, whose consistency is checked here. */
export function answerOf(op: Asked["op"], { status, body, version, isReplayed }: Reply): Answer {
  // Safe: the members that replies have.
  const { data, pagination, code, errors } = body as Sent;
  if (status >= 400) {
    const told = (errors ?? []).map((one) => `${one.pointer ?? one.parameter ?? one.header} ${one.code}`);
    return { status, code: code ?? "", errors: told.sort() };
  }
  const answer = { status, data, pagination, version, ...(isReplayed && { isReplayed }) };
  if (op === "health") return { ...answer, data: checkedHealth(data as Health).contactActivity };
  if (op === "healths") return { ...answer, data: (data as Health[]).map(unscored).sort(byAccount) };
  if (op === "batch") return { ...answer, data: resultsOf(data as Results) };
  if (op === "upsert") return { ...answer, data: upsertsOf(data as Results) };
  if (op !== "events" && op !== "seen") return { ...answer, ...pageOf(pagination) };
  const receipt = data as Body & { items: { index: number; code: string }[] };
  return {
    ...answer,
    data: { ...receipt, items: receipt.items.map(({ index, code }) => ({ index, code })) },
  };
}

type Results = Body & { results: (Body & { status: number; body: Body | null; problem?: Body })[] };

function resultsOf({ results, ...counts }: Results): Body {
  const answers = results.map(({ status, body }) => answerOf("patch", { status, body: body ?? {} }));
  return { ...counts, results: answers };
}

function upsertsOf({ results, ...counts }: Results): Body {
  const answers = results.map(({ problem, ...result }) =>
    problem
      ? { ...result, problem: answerOf("patch", { status: Number(problem.status), body: problem }) }
      : result,
  );
  return { ...counts, results: answers };
}

/** Cursors are opaque. */
function pageOf(pagination: unknown): { pagination?: unknown } {
  const { nextCursor } = (pagination ?? {}) as Body;
  return nextCursor ? { pagination: { ...(pagination as Body), nextCursor: "more" } } : {};
}

function unscored({ score, tier, coverage, ...rest }: Health): Body {
  if (tier !== tierOf(score) || coverage < 0 || coverage > 1)
    throw new Error(`a score of ${score} is ${tier}, with a coverage of ${coverage}`);
  return rest;
}

function checkedHealth(health: Health): Health {
  unscored(health);
  const sum = (numbers: (number | null)[]) => numbers.reduce<number>((all, one) => all + (one ?? 0), 0);
  const total = sum(health.factors.map(({ contribution }) => contribution));
  const weight = sum(health.factors.map((factor) => factor.weight));
  if (Math.abs(total - (health.score ?? 0)) > 0.001)
    throw new Error(`${health.score} is the sum of ${total}`);
  if (weight / 100 !== health.coverage) throw new Error(`${health.coverage} is a weight of ${weight}`);
  return health;
}

function tierOf(score: number | null): string | null {
  if (score === null) return null;
  if (score >= 80) return "healthy";
  if (score >= 60) return "attention";
  return score >= 40 ? "at_risk" : "critical";
}

function byAccount(one: Body, other: Body): number {
  return Number(one.accountId) - Number(other.accountId);
}
