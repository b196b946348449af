import type { Asked } from "./model-rules.ts";
import type { Answer, Model } from "./model-state.ts";

/** A request, its answer, and when in a count of what happens it was begun and answered. */
export type Told = { asked: Asked; answer: Answer; begun: number; ended: number };

/**
 * The models that one of these may be after all of the requests, in any order in which it answers each as it was
 * answered, and in which none comes before one that was answered before it was begun: linearizability, as Herlihy and
 * Wing define it (1990), by trying all orders. None when there is no such order. The order of those that changed something
 * is known from the change log.
 */
export function explained(
  models: readonly Model[],
  all: readonly Told[],
  commitOrder: readonly (readonly string[])[],
): Model[] {
  // For each set of the requests, a bit for each, what there may be when these have been answered.
  const reached = Array.from({ length: 2 ** all.length }, () => new Map<string, Model>());
  for (const model of models) reached[0]?.set(model.text, model);
  for (const [done, states] of reached.entries()) {
    const firstEnd = Math.min(...all.filter((_, i) => (done & (1 << i)) === 0).map(({ ended }) => ended));
    for (const [i, { asked, answer, begun }] of all.entries()) {
      if ((done & (1 << i)) !== 0 || begun > firstEnd) continue;
      for (const model of states.values()) {
        const next = model.clone();
        if (Bun.deepEquals(next.answer(asked), answer) && next.isBefore(commitOrder))
          reached[done | (1 << i)]?.set(next.text, next);
      }
    }
  }
  return [...(reached.at(-1)?.values() ?? [])];
}
