import { replyTo } from "./model-answers.ts";
import { type Body, prefixed, Refusal } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";
import type { Answer, Model } from "./model-state.ts";

/** The data of the reply to a batch. Throws the reply of an atomic batch that failed. */
export function batch(model: Model, { operations = [], isAtomic = false }: Asked): Body {
  const results = operations.map((operation, i) =>
    attempted(model, `/operations/${i}/body`, (trial) => {
      // No result has an entity tag.
      return { ...replyTo(trial, operation), version: undefined };
    }),
  );
  const failed = results.filter(({ status }) => status >= 400).length;
  if (isAtomic && failed > 0) throw batchFailed(results);
  return { results, succeeded: results.length - failed, failed };
}

/** Runs a part of a request that leaves nothing behind when it is rejected, and puts its pointers below `prefix`. */
export function attempted(model: Model, prefix: string, run: (trial: Model) => Answer): Answer {
  try {
    return prefixed(prefix, () => model.attempt(run));
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

/** The reply to an atomic batch with these results of its operations. */
export function batchFailed(results: readonly Answer[]): Refusal {
  const errors = results.flatMap(({ status, code, errors = [] }, i) => {
    if (status < 400) return [];
    return errors.length > 0 ? errors : [`/operations/${i} ${code}`];
  });
  return new Refusal(422, "batch_failed", errors);
}
