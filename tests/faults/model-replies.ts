import type { Body } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";
import type { Answer } from "./model-state.ts";

/** A reply of the service; `body` is its JSON, `version` that of its entity tag. */
export type Reply = { status: number; body: unknown; version?: number; isReplayed?: boolean };
type Sent = { data?: unknown; pagination?: unknown; code?: string; errors?: Record<string, string>[] };
/** A reply in the format of the model: without texts for people, and without scores, whose consistency is checked here. */
export function answerOf(op: Asked["op"], { status, body, version, isReplayed }: Reply): Answer {
  // Safe: the members that replies have.
  const { data, pagination, code, errors } = body as Sent;
  if (status >= 400) {
    const told = (errors ?? []).map((one) => `${one.pointer ?? one.parameter ?? one.header} ${one.code}`);
    return { status, code: code ?? "", errors: told.sort() };
  }
  const answer = { status, data, pagination, version, ...(isReplayed && { isReplayed }) };
  if (op === "batch") return { ...answer, data: resultsOf(data as Results) };
  if (op === "upsert") return { ...answer, data: upsertsOf(data as Results) };
  if (op !== "events") return { ...answer, ...pageOf(pagination) };
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
