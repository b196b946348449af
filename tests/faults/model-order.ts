import type { Asked } from "./model-rules.ts";
import type { Answer, Model } from "./model-state.ts";

/** A request, its reply, and the positions of both in the sequence of all sends and replies. */
export type Told = { asked: Asked; answer: Answer; begun: number; ended: number };

/**
 * The possible models after concurrent requests: linearizability (Herlihy and Wing, 1990), by trying all orders that
 * give the received replies. Empty if there is none. The change log has the order of the requests with changes.
 */
export function explained(
  models: readonly Model[],
  all: readonly Told[],
  commitOrder: readonly (readonly string[])[],
): Model[] {
  // For each set of requests, as a bit mask, the possible models after them.
  const reached = Array.from({ length: 2 ** all.length }, () => new Map<string, Model>());
  for (const model of models) reached[0]?.set(model.text, model);
  for (const [done, states] of reached.entries()) {
    const firstEnd = Math.min(...all.filter((_, i) => (done & (1 << i)) === 0).map(({ ended }) => ended));
    for (const [i, { asked, answer, begun }] of all.entries()) {
      if ((done & (1 << i)) !== 0 || begun > firstEnd) continue;
      for (const model of states.values()) {
        const next = model.clone();
        const isExplained = isInUse(all, i) || Bun.deepEquals(next.answer(asked), answer);
        if (isExplained && next.isBefore(commitOrder)) reached[done | (1 << i)]?.set(next.text, next);
      }
    }
  }
  return [...(reached.at(-1)?.values() ?? [])];
}

/** Whether a request is rejected because an overlapping one has its Idempotency-Key. It has no effect then. */
function isInUse(all: readonly Told[], place: number): boolean {
  const one = all[place];
  if (one?.answer.code !== "idempotency_key_in_use") return false;
  const nameOf = ({ asked: { org, key } }: Told) => `${org} ${key?.replaceAll('"', "")}`;
  return all.some(
    (other) =>
      other !== one && nameOf(other) === nameOf(one) && other.begun < one.ended && one.begun < other.ended,
  );
}
